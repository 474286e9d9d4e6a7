#include "zookeeper/faults.hpp"

#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;

// What leaves open whether the server did it.
constexpr int open_codes[] = {ZCONNECTIONLOSS,
                              ZOPERATIONTIMEOUT,
                              ZCLOSING,
                              ZSESSIONEXPIRED,
                              ZSESSIONMOVED,
                              ZAUTHFAILED,
                              ZMARSHALLINGERROR,
                              ZSYSTEMERROR,
                              ZRUNTIMEINCONSISTENCY,
                              ZDATAINCONSISTENCY,
                              ZSSLCONNECTIONERROR,
                              -99,
                              -999};

// What proves that it did not.
constexpr int refusals[] = {ZINVALIDSTATE, ZBADARGUMENTS, ZUNIMPLEMENTED, ZINVALIDACL,
                            ZNOAUTH,       ZNOTREADONLY,  ZTHROTTLEDOP,   ZSESSIONCLOSEDREQUIRESASLAUTH};

TEST(Faults, OpenOutcomeOfAWriteIsUnknown) {
    for (const int code : open_codes) {
        EXPECT_EQ(fault_of(code, Effect::create), RegistryFault::unknown) << code;
        EXPECT_EQ(fault_of(code, Effect::change), RegistryFault::unknown) << code;
    }
}

TEST(Faults, AReadIsNeverUnknown) {
    for (const int code : open_codes) EXPECT_EQ(fault_of(code, Effect::none), RegistryFault::unavailable) << code;
}

TEST(Faults, RefusalsChangedNothing) {
    for (const int code : refusals) {
        for (const Effect effect : {Effect::none, Effect::create, Effect::change}) {
            EXPECT_EQ(fault_of(code, effect), RegistryFault::unavailable) << code;
        }
    }
}

TEST(Faults, OfCompareAndSet) {
    EXPECT_EQ(fault_of(ZBADVERSION, Effect::change), RegistryFault::conflict);
    EXPECT_EQ(fault_of(ZNONODE, Effect::change), RegistryFault::missing);
}

TEST(Faults, WhatDoesNotBelongThereIsAContradiction) {
    EXPECT_EQ(fault_of(ZNONODE, Effect::create), RegistryFault::contradiction);
    EXPECT_EQ(fault_of(ZNODEEXISTS, Effect::create), RegistryFault::contradiction);
    EXPECT_EQ(fault_of(ZNOCHILDRENFOREPHEMERALS, Effect::create), RegistryFault::contradiction);
}

TEST(Faults, SentencesNamePathAndRemedy) {
    const auto error = error_of(ZNOAUTH, Effect::change, "write", "/a/b");
    EXPECT_NE(error.detail.find("write /a/b"), std::string::npos) << error.detail;
    EXPECT_NE(error.detail.find("ACL"), std::string::npos) << error.detail;
    EXPECT_NE(error.detail.find("zookeeper.auth_file"), std::string::npos) << error.detail;
}

}  // namespace
}  // namespace frond::zookeeper
