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

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Generates the id of an instance: the name of the application, the id of the process,
 * and a random part, as processes in containers often have the same id.
 */
final class InstanceId {

	private static final int MAX_NAME = 64;

	private static final SecureRandom RANDOM = new SecureRandom();

	private InstanceId() {
	}

	static String create(@Nullable String applicationName) {
		byte[] random = new byte[8];
		RANDOM.nextBytes(random);
		return sanitise(applicationName) + "-" + ProcessHandle.current().pid() + "-" + HexFormat.of().formatHex(random);
	}

	private static String sanitise(@Nullable String applicationName) {
		if (applicationName == null) {
			return "app";
		}
		String name = applicationName.trim().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._-]+", "-");
		name = name.substring(0, Math.min(name.length(), MAX_NAME)).replaceAll("^-+|-+$", "");
		return name.isEmpty() ? "app" : name;
	}

}
