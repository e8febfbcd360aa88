package io.lockstarter.autoconfigure;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Names a registry so that people recognise it and no other has the same name: the
 * application, the process, and a random part, as processes in containers share their
 * numbers.
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
