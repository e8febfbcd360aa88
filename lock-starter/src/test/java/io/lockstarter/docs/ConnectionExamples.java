// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.annotation.LockConnectionFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The example of {@code docs/configuration.md}.
 */
@Configuration(proxyBeanMethods = false)
class ConnectionExamples {

	@Bean(defaultCandidate = false)
	@LockConnectionFactory
	LettuceConnectionFactory lockConnectionFactory() {
		return new LettuceConnectionFactory("locks.example.com", 6379);
	}

}
