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
package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an application cannot start with its locks as they are set up: because of
 * an annotation, a property, or the Redis that is available. The message says what is
 * wrong and what to do about it.
 *
 * @since 0.1
 */
public final class LockSetupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @param cause what found it, if anything did
	 */
	public LockSetupException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem + ". " + remedy + ".", cause);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Return what is wrong.
	 * @return the problem, without a full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return the remedy, without a full stop
	 */
	public String remedy() {
		return this.remedy;
	}

}
