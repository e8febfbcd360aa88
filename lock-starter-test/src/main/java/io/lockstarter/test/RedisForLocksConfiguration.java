// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;

/**
 * Brings Spring Boot's auto-configuration of Redis into a slice, under its names in all
 * versions, if the locks of the test are to be kept there.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis")
@ImportAutoConfiguration
class RedisForLocksConfiguration {

}
