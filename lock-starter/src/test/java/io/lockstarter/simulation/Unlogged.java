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
