package io.lockstarter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The script that executes all commands. What it does, takes and replies stands at its
 * top.
 */
final class LuaScript {

	static final String SOURCE;

	static final String SHA1;

	static {
		byte[] bytes = read("/META-INF/lock-starter/lock.lua");
		SOURCE = new String(bytes, StandardCharsets.UTF_8);
		SHA1 = sha1(bytes);
	}

	private LuaScript() {
	}

	private static byte[] read(String resource) {
		try (InputStream in = LuaScript.class.getResourceAsStream(resource)) {
			if (in == null) {
				throw new IllegalStateException("Class path lacks " + resource);
			}
			return in.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha1(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
