// Certificates for TLS tests, made by the openssl program.
#pragma once

#include "support/temp_folder.hpp"

#include <string>

namespace frond::sql {

// A CA and a server certificate that it signed. Files, gone with the object. Throws std::runtime_error.
class Certificates {
public:
    // `names`: subjectAltName of the server, such as "IP:127.0.0.1".
    explicit Certificates(const std::string& names);

    [[nodiscard]] std::string ca() const { return file("ca.pem"); }
    [[nodiscard]] std::string certificate() const { return file("server.pem"); }
    [[nodiscard]] std::string key() const { return file("server.key"); }

private:
    [[nodiscard]] std::string file(const char* name) const { return (folder_.path() / name).string(); }

    test::TempFolder folder_;
};

}  // namespace frond::sql
