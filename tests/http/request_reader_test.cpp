#include "http/request_reader.hpp"
#include "http/client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::http {
namespace {

constexpr Limits small_limits{.header_limit = 512, .target_limit = 128, .body_limit = 64};

// Everything that can be told of a request once the reader has done with it.
struct Seen {
    Progress progress = Progress::need_more;
    errc code{};
    Method method{};
    std::string target, path, query, authorization, content_type, accept, body, rest;
    bool keep_alive = false;
    bool http_1_0 = false;

    bool operator==(const Seen&) const = default;
};

// Feeds the text in pieces that end at `cuts` and at its end.
Seen feed(RequestReader& reader, const std::string& text, std::vector<std::size_t> cuts) {
    cuts.push_back(text.size());
    std::string data;
    std::size_t given = 0;
    Seen seen;
    for (const std::size_t cut : cuts) {
        data += text.substr(given, cut - given);
        given = cut;
        std::size_t size = data.size();
        seen.progress = reader.advance(data.data(), size);
        data.resize(size);
        if (seen.progress != Progress::need_more) break;
    }
    seen.keep_alive = reader.head().keep_alive;
    seen.http_1_0 = reader.head().http_1_0;
    if (seen.progress == Progress::refused) seen.code = reader.refusal().code;
    if (seen.progress != Progress::complete) return seen;
    Request request;
    reader.fill(request, data.data());
    seen.method = request.method;
    seen.target = request.target;
    seen.path = request.path;
    seen.query = request.query;
    seen.authorization = request.authorization;
    seen.content_type = request.content_type;
    seen.accept = request.accept;
    seen.body = request.body;
    seen.rest = data.substr(reader.length()) + text.substr(given);
    return seen;
}

Seen read(const std::string& text, const std::vector<std::size_t>& cuts = {}) {
    RequestReader reader(small_limits);
    return feed(reader, text, cuts);
}

std::string get(const std::string& target, const std::string& headers = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}

std::string post(const std::string& headers, const std::string& body) {
    return "POST /p HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body;
}

TEST(RequestReader, KeepsWhatARequestNeeds) {
    const Seen seen = read(get("/a/%41?b=c",
                               "Authorization: Bearer x\r\naccept:  text/plain \r\nX-Other: y\r\n"
                               "Content-type: application/json\r\n") +
                           "next");
    EXPECT_EQ(seen.progress, Progress::complete);
    EXPECT_EQ(seen.method, Method::get);
    EXPECT_EQ(seen.target, "/a/%41?b=c");
    EXPECT_EQ(seen.path, "/a/%41");
    EXPECT_EQ(seen.query, "b=c");
    EXPECT_EQ(seen.authorization, "Bearer x");
    EXPECT_EQ(seen.accept, "text/plain");
    EXPECT_EQ(seen.content_type, "application/json");
    EXPECT_EQ(seen.body, "");
    EXPECT_EQ(seen.rest, "next");
    EXPECT_TRUE(seen.keep_alive);
    EXPECT_FALSE(seen.http_1_0);
}

TEST(RequestReader, KnowsTheMethods) {
    const std::vector<std::pair<std::string, Method>> methods = {
        {"GET", Method::get},         {"HEAD", Method::head},      {"POST", Method::post},   {"PUT", Method::put},
        {"PATCH", Method::patch},     {"DELETE", Method::delete_}, {"TRACE", Method::other}, {"get", Method::other},
        {"OPTIONS", Method::options}, {"NONSENSE", Method::other},
    };
    for (const auto& [word, method] : methods) {
        const Seen seen = read(word + " / HTTP/1.1\r\nHost: h\r\n\r\n");
        EXPECT_EQ(seen.progress, Progress::complete) << word;
        EXPECT_EQ(seen.method, method) << word;
    }
}

TEST(RequestReader, TakesAbsoluteForm) {
    EXPECT_EQ(read(get("http://other:80/a?b")).path, "/a");
    EXPECT_EQ(read(get("http://other:80/a?b")).query, "b");
    EXPECT_EQ(read(get("http://other")).path, "/");
    EXPECT_EQ(read(get("http://other?b")).path, "/");
}

TEST(RequestReader, FollowsConnectionSemantics) {
    EXPECT_FALSE(read(get("/", "Connection: close\r\n")).keep_alive);
    EXPECT_FALSE(read(get("/", "Connection: Keep-Alive, Close\r\n")).keep_alive);
    EXPECT_FALSE(read("GET / HTTP/1.0\r\n\r\n").keep_alive);
    EXPECT_TRUE(read("GET / HTTP/1.0\r\n\r\n").http_1_0);
    EXPECT_TRUE(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

TEST(RequestReader, ReadsBodies) {
    EXPECT_EQ(read(post("Content-Length: 3\r\n", "abcGET")).body, "abc");
    EXPECT_EQ(read(post("Content-Length: 3\r\n", "abcGET")).rest, "GET");
    EXPECT_EQ(read(post("Content-Length: 3, 3\r\n", "abc")).body, "abc");
    EXPECT_EQ(read(post("Transfer-Encoding: Chunked\r\n", "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\nGET")).body, "abcd");
    EXPECT_EQ(read(post("Transfer-Encoding: Chunked\r\n", "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\nGET")).rest, "GET");
    EXPECT_EQ(read(post("Content-Length: 0\r\n", "")).progress, Progress::complete);
}

// No trailer may pass for a header.
TEST(RequestReader, IgnoresTrailers) {
    const Seen seen = read(post("Transfer-Encoding: chunked\r\n", "0\r\nAuthorization: x\r\nHost: i\r\n\r\n"));
    EXPECT_EQ(seen.progress, Progress::complete);
    EXPECT_EQ(seen.authorization, "");
}

struct Bad {
    std::string text;
    errc code;
};

std::vector<Bad> bad_requests() {
    using enum errc;
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    return {
        {"GARBAGE\r\n\r\n", bad_request},
        {"\x16\x03\x01\x02", bad_request},  // TLS on the plain port
        {"GET\r\n\r\n", bad_request},
        {"GET /\r\n\r\n", bad_request},
        {" GET / HTTP/1.1\r\n", bad_request},
        {"\nGET / HTTP/1.1\r\n", bad_request},
        {"\rGET / HTTP/1.1\r\n", bad_request},
        {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", bad_request},
        {"GET / a HTTP/1.1\r\nHost: h\r\n\r\n", bad_request},
        {"GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n", bad_request},
        {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", bad_request},
        {"GET / http/1.1\r\nHost: h\r\n\r\n", bad_request},
        {"GET / HTTP/1.15\r\nHost: h\r\n\r\n", bad_request},
        {"GET / HTTP/1\r\nHost: h\r\n\r\n", bad_request},
        {"GET / HTTP/1.1\nHost: h\n\n", bad_request},
        {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", http_version},
        {"GET / HTTP/0.9\r\n\r\n", http_version},
        {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", http_version},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", http_version},
        {get("*"), bad_request},
        {get("host:443"), bad_request},
        {get("relative"), bad_request},
        {get("/a#b"), bad_request},
        {get("http://"), bad_request},
        // Exactly one host.
        {"GET / HTTP/1.1\r\n\r\n", bad_request},
        {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", bad_request},
        {"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", bad_request},
        {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", bad_request},
        {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", bad_request},
        {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", bad_request},
        // Fields that another parser may read differently.
        {get("/", "Name : value\r\n"), bad_request},
        {get("/", " Name: value\r\n"), bad_request},
        {get("/", "Name\r\n"), bad_request},
        {get("/", ": value\r\n"), bad_request},
        {get("/", "Na me: value\r\n"), bad_request},
        {get("/", "Name: val\x01ue\r\n"), bad_request},
        {get("/", std::string("Name: val\0ue\r\n", 14)), bad_request},
        {get("/", "Name: value\n"), bad_request},
        {get("/", "Name: val\rue\r\n"), bad_request},
        {get("/", "Name: value\r\n folded\r\n"), bad_request},
        {get("/", "Name:\r\n\tfolded\r\n"), bad_request},
        {get("/", "Authorization: a\r\nAuthorization: b\r\n"), bad_request},
        // Two framings, or one that is not clear.
        {post("Content-Length: 3\r\n" + chunked, "0\r\n\r\n"), bad_request},
        {post(chunked + "Content-Length: 3\r\n", "0\r\n\r\n"), bad_request},
        {post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), bad_request},
        {post("Content-Length: 3, 4\r\n", "abcd"), bad_request},
        {post("Content-Length: +3\r\n", "abc"), bad_request},
        {post("Content-Length: -3\r\n", "abc"), bad_request},
        {post("Content-Length: 3 3\r\n", "abc"), bad_request},
        {post("Content-Length: 0x3\r\n", "abc"), bad_request},
        {post("Content-Length:\r\n", ""), bad_request},
        {post("Content-Length: 18446744073709551616\r\n", ""), bad_request},
        {post(chunked + chunked, "0\r\n\r\n"), bad_request},
        {post("Transfer-Encoding:\r\n", "0\r\n\r\n"), bad_request},
        {post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), bad_request},
        {post("Transfer-Encoding: \x0b"
              "chunked\r\n",
              "0\r\n\r\n"),
         bad_request},
        {post("Transfer-Encoding: gzip\r\n", ""), not_implemented},
        {post("Transfer-Encoding: identity\r\n", ""), not_implemented},
        {post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), not_implemented},
        {post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), not_implemented},
        {post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), not_implemented},
        {post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), not_implemented},
        {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", bad_request},
        {post(chunked, "x\r\n"), bad_request},
        {post("Expect: 200-ok\r\n", ""), expectation_failed},
        // Too large.
        {get("/" + repeat("a", 128)), uri_too_long},
        {get("/" + repeat("a", 2000)), uri_too_long},
        {"GET /" + repeat("a", 600), uri_too_long},
        {repeat("G", 600), uri_too_long},
        {get("/", "Name: " + repeat("a", 500) + "\r\n"), headers_too_large},
        {get("/", "Name: " + repeat("a", 5000) + "\r\n"), headers_too_large},
        {post("Content-Length: 65\r\n", ""), payload_too_large},
        {post("Content-Length: 18446744073709551615\r\n", ""), payload_too_large},
        {post(chunked, "41\r\n"), payload_too_large},
        {post(chunked, "0\r\nA: " + repeat("a", 600)), headers_too_large},
    };
}

TEST(RequestReader, RefusesTheCorpus) {
    for (const auto& [text, code] : bad_requests()) {
        const Seen seen = read(text);
        EXPECT_EQ(seen.progress, Progress::refused) << text;
        EXPECT_EQ(code_name(seen.code), code_name(code)) << text;
    }
}

// However the bytes arrive, what is seen is the same.
TEST(RequestReader, DoesNotDependOnHowBytesArrive) {
    std::vector<std::string> texts = {
        get("/a?b=c", "Authorization: x\r\n") + "rest",
        get("/", "Connection: close\r\n"),
        "GET / HTTP/1.0\r\n\r\n",
        post("Content-Length: 10\r\n", "0123456789rest"),
        post("Transfer-Encoding: chunked\r\n", "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\nrest"),
        post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    };
    for (const Bad& bad : bad_requests()) texts.push_back(bad.text);
    for (const std::string& text : texts) {
        const Seen whole = read(text);
        ASSERT_NE(whole.progress, Progress::need_more) << text;
        std::vector<std::size_t> every_byte;
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            every_byte.push_back(cut);
            EXPECT_EQ(read(text, {cut}), whole) << text << " cut at " << cut;
        }
        EXPECT_EQ(read(text, every_byte), whole) << text << " byte by byte";
    }
}

TEST(RequestReader, WantsMoreOfEveryPrefix) {
    const std::string text = post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n");
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_EQ(read(text.substr(0, size)).progress, Progress::need_more) << size;
    }
}

TEST(RequestReader, TakesARequestThatJustFits) {
    const std::string target = "/" + repeat("a", 127);
    EXPECT_EQ(read(get(target)).target, target);
    const std::string padding(512 - get("/", "N: \r\n").size(), 'a');
    const std::string request = get("/", "N: " + padding + "\r\n");
    ASSERT_EQ(request.size(), 512U);
    EXPECT_EQ(read(request).progress, Progress::complete);
    EXPECT_EQ(read(get("/", "N: a" + padding + "\r\n")).code, errc::headers_too_large);
    EXPECT_EQ(read(post("Content-Length: 64\r\n", repeat("x", 64))).progress, Progress::complete);
}

TEST(RequestReader, AsksOnceToContinue) {
    RequestReader reader(small_limits);
    std::string data = post("Expect: 100-Continue\r\nContent-Length: 3\r\n", "");
    std::size_t size = data.size();
    EXPECT_EQ(reader.advance(data.data(), size), Progress::need_more);
    EXPECT_TRUE(reader.take_continue(size));
    EXPECT_FALSE(reader.take_continue(size));
}

TEST(RequestReader, DoesNotAskToContinueInVain) {
    for (const std::string& text : {post("Expect: 100-continue\r\nContent-Length: 3\r\n", "a"),
                                    std::string("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"),
                                    post("Content-Length: 3\r\n", "")}) {
        RequestReader reader(small_limits);
        std::string data = text;
        std::size_t size = data.size();
        EXPECT_EQ(reader.advance(data.data(), size), Progress::need_more) << text;
        EXPECT_FALSE(reader.take_continue(size)) << text;
    }
}

// The memory of the last header block must not leak into the next request.
TEST(RequestReader, RemembersWithoutMixingUp) {
    RequestReader reader(small_limits);
    const std::vector<std::string> requests = {
        get("/a", "Authorization: x\r\n"),
        get("/a", "Authorization: x\r\n"),
        get("/a", "Authorization: y\r\n"),
        get("/a"),
        get("/ab"),
        post("Content-Length: 3\r\n", "abc"),
        post("Content-Length: 3\r\n", "def"),
        get("/ab", "Connection: close\r\n"),
        post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n"),
        post("Transfer-Encoding: chunked\r\n", "2\r\nbc\r\n0\r\n\r\n"),
        post("Expect: 200-ok\r\n", ""),
        get("/ab"),
    };
    for (int round = 0; round < 2; ++round) {
        for (const std::string& request : requests) {
            EXPECT_EQ(feed(reader, request, {}), read(request)) << request;
            reader.reset();
            EXPECT_EQ(feed(reader, request, {request.size() / 2}), read(request)) << request;
            reader.reset();
        }
    }
}

TEST(EmptyLines, CountsWholeOnes) {
    EXPECT_EQ(empty_lines(""), 0U);
    EXPECT_EQ(empty_lines("\r"), 0U);
    EXPECT_EQ(empty_lines("\n"), 0U);
    EXPECT_EQ(empty_lines("\r\n\r\n\rGET"), 4U);
}

}  // namespace
}  // namespace frond::http
