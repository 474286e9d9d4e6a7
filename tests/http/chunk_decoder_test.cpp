#include "http/chunk_decoder.hpp"
#include "http/client.hpp"

#include <gtest/gtest.h>

#include <string>

namespace frond::http {
namespace {

using Status = ChunkDecoder::Status;

struct Decoded {
    Status status = Status::need_more;
    std::string body;
    std::string rest;

    bool operator==(const Decoded&) const = default;
};

// Gives the text in two pieces, cut at `cut`.
Decoded decode(const std::string& text, std::size_t cut, std::size_t body_limit = 100, std::size_t extra_limit = 20) {
    ChunkDecoder decoder(body_limit, extra_limit);
    std::string data = text;
    std::size_t read = 0;
    std::size_t body_end = 0;
    Decoded result;
    for (const std::size_t size : {cut, text.size()}) {
        result.status = decoder.decode(data.data(), size, read, body_end);
        if (result.status != Status::need_more) break;
    }
    result.body = data.substr(0, body_end);
    if (result.status == Status::done) result.rest = text.substr(read);
    return result;
}

void expect(const std::string& text, const Decoded& wanted) {
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        const Decoded result = decode(text, cut);
        EXPECT_EQ(result.status, wanted.status) << text << " cut at " << cut;
        if (wanted.status != Status::done) continue;
        EXPECT_EQ(result.body, wanted.body) << text << " cut at " << cut;
        EXPECT_EQ(result.rest, wanted.rest) << text << " cut at " << cut;
    }
}

TEST(ChunkDecoder, PutsChunksTogether) {
    expect("0\r\n\r\n", {Status::done, "", ""});
    expect("3\r\nabc\r\n0\r\n\r\n", {Status::done, "abc", ""});
    expect("3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\nGET", {Status::done, "abc0123456789", "GET"});
    expect("2\r\n\r\n\r\n0\r\n\r\n\r\n", {Status::done, "\r\n", "\r\n"});
}

TEST(ChunkDecoder, ReadsOverExtensionsAndTrailers) {
    expect("1;a=b\r\nx\r\n0 ;c\r\nA: b\r\n\r\n", {Status::done, "x", ""});
    expect("1\t\r\nx\r\n0\r\nA:\r\nB:\r\n\r\n", {Status::done, "x", ""});
}

TEST(ChunkDecoder, WantsMoreUntilTheEnd) {
    for (const char* text : {"", "3", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "0\r\n", "0\r\n\r", "0\r\nA: b\r\n"}) {
        expect(text, {Status::need_more, "", ""});
    }
}

TEST(ChunkDecoder, RefusesWhatIsNotChunked) {
    for (const char* text : {"\r\n", "x\r\n", "-1\r\n", " 1\r\nx", "0x1\r\n", "1\nx", "1\rx", "1\r\nxy", "1\r\nx\ny",
                             "1\r\nx\r\r", "1;a\nb\r\n", "0\r\n\n", "0\r\nA\n\r\n", "0\r\n\r\r", "1,\r\nx"}) {
        expect(text, {Status::broken, "", ""});
    }
}

TEST(ChunkDecoder, BoundsTheBody) {
    EXPECT_EQ(decode("64\r\n" + repeat("x", 100) + "\r\n0\r\n\r\n", 0).status, Status::done);
    expect("65\r\n", {Status::body_too_large, "", ""});
    expect("64\r\n" + repeat("x", 100) + "\r\n1\r\n", {Status::body_too_large, "", ""});
    expect("FFFFFFFFFFFFFFFFFFFFFFFF\r\n", {Status::body_too_large, "", ""});
}

TEST(ChunkDecoder, BoundsExtensionsAndTrailersTogether) {
    expect("1;1234567890\r\nx\r\n0\r\nA: 4567\r\n\r\n", {Status::done, "x", ""});
    expect("1;1234567890\r\nx\r\n0\r\nA: 45678901\r\n\r\n", {Status::extra_too_large, "", ""});
    expect("1;123456789012345678901\r\n", {Status::extra_too_large, "", ""});
}

}  // namespace
}  // namespace frond::http
