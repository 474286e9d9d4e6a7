// Where a name's nodes are. Immutable after make(): thread-safe.
#pragma once

#include <frond/result.hpp>

#include <string>
#include <string_view>

namespace frond::zookeeper {

class Paths {
public:
    // root: an absolute path, "/" or "/a/b". name: one component, of any letters. errc::invalid_configuration, naming
    // zookeeper.root or snowflake.name, when ZooKeeper could not hold such a path.
    static Result<Paths> make(std::string_view root, std::string_view name);

    [[nodiscard]] const std::string& base() const noexcept { return base_; }       // <root>/<name>
    [[nodiscard]] const std::string& parent() const noexcept { return parent_; }   // of the records, as Leaf has it
    [[nodiscard]] const std::string& live() const noexcept { return live_; }       // parent of the signs of presence
    [[nodiscard]] const std::string& name_node() const noexcept { return name_; }  // holds the NameRecord
    [[nodiscard]] std::string record(std::string_view node) const;                 // of a child of parent()

private:
    explicit Paths(std::string base);

    std::string base_;
    std::string parent_;
    std::string live_;
    std::string name_;
};

}  // namespace frond::zookeeper
