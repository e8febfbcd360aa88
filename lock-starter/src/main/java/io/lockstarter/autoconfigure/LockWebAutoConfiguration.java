// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ControllerAdvice;

/**
 * {@link AutoConfiguration Auto-configuration} of HTTP responses for locks that were not
 * acquired, if {@code distributed-lock.problem-details} is true.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass({ ControllerAdvice.class, ProblemDetail.class })
@ConditionalOnProperty("distributed-lock.problem-details")
@Conditional(LockEnabled.class)
public final class LockWebAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "lockProblems", search = SearchStrategy.CURRENT)
	LockProblems lockProblems() {
		return new LockProblems();
	}

}
