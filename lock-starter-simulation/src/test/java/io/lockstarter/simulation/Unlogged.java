// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Lets the product log nothing while the tests of a class run: it logs each connection.
 */
final class Unlogged implements BeforeAllCallback, AfterAllCallback {

	private static final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter");

	@Override
	public void beforeAll(ExtensionContext context) {
		logger.setLevel(Level.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		logger.setLevel(null);
	}

}
