// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Generates the id of an instance: the name of the application, the host or pod, the id
 * of the process, and a random part, as processes in containers often have the same id.
 */
final class InstanceId {

	private static final int MAX_NAME = 64;

	private static final Path KERNEL_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

	private static final SecureRandom RANDOM = new SecureRandom();

	private InstanceId() {
	}

	static String create(@Nullable String applicationName) {
		return create(applicationName, host(System.getenv(), KERNEL_HOST_NAME));
	}

	static String create(@Nullable String applicationName, @Nullable String host) {
		byte[] random = new byte[8];
		RANDOM.nextBytes(random);
		String name = sanitise(applicationName);
		String place = sanitise(host);
		return (name.isEmpty() ? "app" : name) + (place.isEmpty() ? "" : "@" + place) + "-"
				+ ProcessHandle.current().pid() + "-" + HexFormat.of().formatHex(random);
	}

	/**
	 * Return the name of this host, without asking a name server, which may hang: what
	 * containers and Windows set (in Kubernetes the name of the pod), or what Linux
	 * knows.
	 */
	static @Nullable String host(Map<String, String> environment, Path kernel) {
		String name = environment.getOrDefault("HOSTNAME", environment.get("COMPUTERNAME"));
		if (name != null && !name.isBlank()) {
			return name;
		}
		try {
			return Files.readString(kernel);
		}
		catch (IOException ex) {
			return null;
		}
	}

	private static String sanitise(@Nullable String text) {
		if (text == null) {
			return "";
		}
		String name = text.trim().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._-]+", "-");
		return name.substring(0, Math.min(name.length(), MAX_NAME)).replaceAll("^-+|-+$", "");
	}

}
