#include "api/dispatcher.hpp"

#include "api/reply_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace frond::api {
namespace {

using http::Method;

// Answers with its name and the tail it was given.
class Named final : public Endpoint {
public:
    explicit Named(std::string name) : name_(std::move(name)) {}
    bool try_answer(const Call& call, http::Reply& reply) override {
        reply.send(200, "text/plain", name_ + ":" + std::string(call.tail));
        return true;
    }

private:
    const std::string name_;
};

class Throwing final : public Endpoint {
public:
    bool try_answer(const Call&, http::Reply&) override { throw std::runtime_error("defect"); }
};

class DispatcherTest : public testing::Test {
protected:
    DispatcherTest() {
        dispatcher_.add("/get/{key}", {Method::get, Method::post}, get_);
        dispatcher_.add("/get", {Method::get}, plain_);
        dispatcher_.add("/broken", {Method::get}, throwing_);
    }

    std::string ask(std::string_view target, Method method = Method::get) {
        text_ = ReplyText();
        text_.reply.out = &text_.out;
        EXPECT_TRUE(dispatcher_.try_handle(request_of(target, method), text_.reply));
        return text_.body();
    }

    Named get_{"get"};
    Named plain_{"plain"};
    Throwing throwing_;
    Dispatcher dispatcher_{nullptr, AccessLog::off};
    ReplyText text_;
};

TEST_F(DispatcherTest, FindsThePathAndItsTail) {
    EXPECT_EQ(ask("/get/order"), "get:order");
    EXPECT_EQ(ask("/get/a%2Fb?count=1"), "get:a%2Fb");
    EXPECT_EQ(ask("/get/"), "get:");
    EXPECT_EQ(ask("/get"), "plain:");
    EXPECT_EQ(ask("/get/order", Method::post), "get:order");
}

TEST_F(DispatcherTest, ABareSlashEndsTheKey) {
    ask("/get/a/b");
    EXPECT_EQ(text_.reply.status, 404U);
    for (const auto target : {"/", "", "/get2", "/ge", "/broken/", "//get", "/GET/order"}) {
        ask(target);
        EXPECT_EQ(text_.reply.status, 404U) << target;
    }
}

TEST_F(DispatcherTest, OtherMethodsAreNamedInAllow) {
    for (const Method method :
         {Method::head, Method::put, Method::patch, Method::delete_, Method::options, Method::other}) {
        ask("/get/order", method);
        EXPECT_EQ(text_.reply.status, 405U);
        EXPECT_TRUE(text_.has_header("Allow: GET, POST"));
    }
}

TEST_F(DispatcherTest, ADefectIsABare500) {
    const std::string body = ask("/broken");
    EXPECT_EQ(text_.reply.status, 500U);
    EXPECT_EQ(body.find("defect"), std::string::npos);
    EXPECT_NE(body.find("INTERNAL"), std::string::npos);
}

TEST_F(DispatcherTest, CountsByRouteAndClass) {
    ask("/get/order");
    ask("/get/order", Method::head);
    ask("/nowhere");
    const Dispatcher::Route& route = dispatcher_.routes().front();
    EXPECT_EQ((*route.counts)[1].value(), 1U);
    EXPECT_EQ((*route.counts)[3].value(), 1U);
    EXPECT_EQ(dispatcher_.other_counts()[3].value(), 1U);
}

TEST_F(DispatcherTest, RefusesEverythingAfterTheDrain) {
    dispatcher_.refuse_all();
    EXPECT_NE(ask("/get/order").find("DRAINING"), std::string::npos);
    EXPECT_EQ(text_.reply.status, 503U);
}

TEST_F(DispatcherTest, UnreadableRequestsGetAProblem) {
    text_.reply.out = &text_.out;
    dispatcher_.refuse(errc::uri_too_long, "at most 4096 bytes", text_.reply);
    EXPECT_EQ(text_.reply.status, 414U);
    EXPECT_NE(text_.body().find("URI_TOO_LONG"), std::string::npos);
}

}  // namespace
}  // namespace frond::api
