"""scripts/check_layers: each rule must fire on a small tree that breaks it, and stay silent on a sound one."""

import pytest

from checkout import ROOT


@pytest.fixture
def check(tmp_path, run_script):
    """Writes files {name: text} into a tree and returns the violations found there."""

    def run(files):
        for name, text in {"include/frond/errc.hpp": "#pragma once\n#include <string_view>\n", **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = run_script("check_layers", "--root", tmp_path)
        assert done.returncode in (0, 1), done.stderr
        lines = done.stdout.splitlines()
        return lines if done.returncode else []

    return run


def test_this_checkout_is_clean(run_script):
    done = run_script("check_layers", "--root", ROOT)
    assert done.returncode == 0, done.stdout


def test_sound_tree_is_clean(check):
    assert not check(
        {
            "include/frond/result.hpp": "#include <frond/errc.hpp>\n#include <variant>\n",
            "src/asio.cpp": "#include <boost/asio/impl/src.hpp>\n#include <boost/beast/src.hpp>\n",
            "src/base/async.hpp": "#include <boost/asio/awaitable.hpp>\n",
            "src/base/clock.hpp": "#include <chrono>\n#include <frond/result.hpp>\n",
            "src/segment/buffer.hpp": '#include "base/clock.hpp"\n#include "range.hpp"\n',
            "src/segment/range.hpp": "#include <fmt/format.h>\n",
            "src/segment/service.cpp": '#include "base/async.hpp"\n#include "segment/buffer.hpp"\n',
            "src/sql/store.cpp": '#include "segment/range.hpp"\n#include <soci/soci.h>\n',
            "src/http/server.cpp": "#include <boost/beast/http.hpp>\n",
            "src/api/ids.cpp": '#include "http/server.cpp"\n#include "segment/service.cpp"\n',
            "src/cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "sql/store.cpp"\n',
        }
    )


@pytest.mark.parametrize(
    "name, include",
    [
        ("include/frond/client.hpp", '"base/clock.hpp"'),
        ("include/frond/client.hpp", "<boost/json.hpp>"),
        ("include/frond/client.hpp", "<fmt/format.h>"),
        ("src/id/layout.cpp", '"base/clock.hpp"'),
        ("src/base/clock.cpp", '"segment/range.hpp"'),
        ("src/segment/service.cpp", '"sql/store.hpp"'),
        ("src/segment/service.cpp", '"../sql/store.hpp"'),
        ("src/sql/store.cpp", '"http/types.hpp"'),
        ("src/http/connection.cpp", '"api/ids.hpp"'),
        ("src/api/ids.cpp", '"sql/store.hpp"'),
        ("src/api/ids.cpp", '"zookeeper/session.hpp"'),
        ("src/api/ids.cpp", "<sql/store.hpp>"),
        ("src/zookeeper/session.cpp", '"sql/store.hpp"'),
        ("src/server/main.cpp", '"client/client.hpp"'),
        ("src/client/client.cpp", '"http/types.hpp"'),
        ("src/unheard_of/file.cpp", "<string>"),
    ],
)
def test_include_outside_the_row(check, name, include):
    others = {
        "src/base/clock.hpp": "",
        "src/segment/range.hpp": "",
        "src/sql/store.hpp": "",
        "src/http/types.hpp": "",
        "src/api/ids.hpp": "",
        "src/client/client.hpp": "",
    }
    violations = check({**others, name: f"// a comment\n#include {include}\n"})
    assert len(violations) == 1
    assert violations[0].startswith(f"{name}:")


@pytest.mark.parametrize(
    "name, include",
    [
        ("src/segment/service.cpp", "<soci/soci.h>"),
        ("src/api/keys.cpp", "<sqlite3.h>"),
        ("src/server/main.cpp", "<zookeeper/zookeeper.h>"),
        ("src/api/ids.cpp", "<prometheus/registry.h>"),
        ("src/server/config.cpp", "<CLI/CLI.hpp>"),
        ("src/cli/main.cpp", "<toml++/toml.h>"),
        ("src/segment/service.cpp", "<boost/beast/http.hpp>"),
    ],
)
def test_library_outside_its_room(check, name, include):
    violations = check({name: f"#include {include}\n"})
    assert len(violations) == 1 and "belongs in" in violations[0]


@pytest.mark.parametrize("room", ["id", "auth", "sql", "zookeeper", "segment", "snowflake", "worker"])
def test_asio_in_a_room_without_it(check, room):
    violations = check({f"src/{room}/thing.cpp": "#include <vector>\n#include <boost/asio/post.hpp>\n"})
    assert violations == [f"src/{room}/thing.cpp:2: this file is to be free of Asio: <boost/asio/post.hpp>"]


def test_asio_through_another_header(check):
    violations = check(
        {
            "src/base/async.hpp": "#include <boost/asio.hpp>\n",
            "src/base/pool.hpp": '#include "base/async.hpp"\n',
            "src/sql/store.cpp": '#include "base/pool.hpp"\n',
        }
    )
    assert violations == [
        "src/sql/store.cpp:1: this file is to be free of Asio: base/pool.hpp -> base/async.hpp -> <boost/asio.hpp>"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "co_await run([p] { return *p; });",
        "co_await run(executor,\n    [this] { stop(); });",
        "co_await [&] { return work(); }();",
        "co_await run({1, 2});",
        "co_await run(executor, {});",
        "co_await run(Options{.limit = 1});",
        "auto x = co_await Thing{};",
        "if (co_await run(Options{})) {}",
    ],
)
def test_what_the_compiler_gets_wrong_in_co_await(check, statement):
    violations = check({"src/http/a.cpp": f"void f() {{\n{statement}\n}}\n"})
    assert len(violations) == 1
    assert violations[0].startswith("src/http/a.cpp:2:") and "co_await" in violations[0]


@pytest.mark.parametrize(
    "statement",
    [
        "co_await run(queues[index], ids[0][1]);",
        "if (co_await run(x)) { stop(); }",
        "for (auto& x : co_await all()) { use(x); }",
        "while (co_await next()) {}",
        "// co_await run([p]{});",
        "/* co_await run({1}) */ co_await run(1'000, '{', \"[x] {\");",
        "auto work = [p] { return *p; }; co_await run(std::move(work));",
        "auto task = [](Thing x) -> awaitable<void> { co_await x.run(); };",
    ],
)
def test_sound_co_await(check, statement):
    assert not check({"src/http/a.cpp": f"void f() {{\n{statement}\n}}\n"})


def test_commented_includes_do_not_count(check):
    assert not check({"src/api/a.cpp": '// #include "sql/store.hpp"\n/*\n#include "sql/store.hpp"\n*/\n'})


def test_empty_folder_is_no_success(tmp_path, run_script):
    done = run_script("check_layers", "--root", tmp_path)
    assert done.returncode == 1 and "no C++ file" in done.stderr
