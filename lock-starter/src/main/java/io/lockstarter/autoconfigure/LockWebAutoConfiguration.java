/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
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
	LockProblems lockProblems() {
		return new LockProblems();
	}

}
