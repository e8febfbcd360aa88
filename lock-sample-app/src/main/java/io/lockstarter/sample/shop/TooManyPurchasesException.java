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
package io.lockstarter.sample.shop;

import java.time.Duration;

/**
 * An address has bought too often in the last minute.
 */
class TooManyPurchasesException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration wait;

	TooManyPurchasesException(int most, Duration wait) {
		super("No more than %d purchases a minute: try again later".formatted(most));
		this.wait = wait;
	}

	/**
	 * Return how long to wait until the next purchase is allowed.
	 */
	Duration waitTime() {
		return this.wait;
	}

}
