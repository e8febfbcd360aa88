// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * Generates the id of an instance: the name of the application, the host or pod, the id
 * of the process, and a random part, as processes in containers often have the same id.
 */
public final class InstanceId {

	private static final int MAX_NAME = 64;

	private static final Path KERNEL_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

	private InstanceId() {
	}

	/**
	 * Create the id of an instance in this process.
	 * @param applicationName the name of the application; {@code app} if it has none
	 * @return the id, another one each time
	 */
	public static String create(@Nullable String applicationName) {
		return create(applicationName, host(System.getenv(), KERNEL_HOST_NAME));
	}

	static String create(@Nullable String applicationName, @Nullable String host) {
		String name = sanitise(applicationName);
		String place = sanitise(host);
		return (name.isEmpty() ? "app" : name) + (place.isEmpty() ? "" : "@" + place) + "-"
				+ ProcessHandle.current().pid() + "-"
				+ HexFormat.of().toHexDigits(Platform.system().secureRandom().nextLong());
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
