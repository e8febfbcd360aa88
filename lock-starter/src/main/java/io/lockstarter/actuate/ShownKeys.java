// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import io.lockstarter.text.PrintableText;

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
