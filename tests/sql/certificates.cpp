#include "certificates.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace frond::sql {

Certificates::Certificates(const std::string& names) {
    const std::string script = fmt::format(
        "cd '{}' && new='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes' && "
        "openssl req -x509 $new -keyout ca.key -out ca.pem -subj /CN=test-ca -days 2 && "
        "openssl req $new -keyout server.key -out server.csr -subj /CN=test-server && "
        "echo 'subjectAltName={}' >ext && "
        "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile "
        "ext",
        folder_.path().string(), names);
    if (std::system(fmt::format("({}) >'{}' 2>&1", script, file("log")).c_str()) != 0) {
        throw std::runtime_error("openssl cannot make certificates: the Debian package is openssl");
    }
}

}  // namespace frond::sql
