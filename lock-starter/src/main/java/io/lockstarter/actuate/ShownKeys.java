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
package io.lockstarter.actuate;

import io.lockstarter.PrintableText;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Keys as they may be shown to whoever asks.
 *
 * @param sanitizer hides some
 * @param shown whether any may be shown
 * @param prefix what those begin with that were asked for
 */
record ShownKeys(Sanitizer sanitizer, boolean shown, String prefix) {

	/**
	 * Return whether a key was asked for: one that is hidden cannot be.
	 */
	boolean contain(String key) {
		return this.prefix.isEmpty() || sanitized(key).startsWith(this.prefix);
	}

	String show(String key) {
		return PrintableText.of(sanitized(key));
	}

	private String sanitized(String key) {
		return String.valueOf(this.sanitizer.sanitize(new SanitizableData(null, "key", key), this.shown));
	}

}
