package io.lockstarter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script as the server gets it. What it does, takes and replies stands at its top.
 * Immutable.
 *
 * @param source the text
 * @param sha1 what the server calls it
 */
record LuaScript(String source, String sha1) {

	/**
	 * Return the script that executes all commands for locks, with the constants of a
	 * store, which need not be sent with every call then.
	 * @param settings the settings of the store
	 * @return the script
	 */
	static LuaScript commands(RedisStoreSettings settings) {
		String constants = "local prefix, reservation, retention, leap = %s, %d, %d, %d\n".formatted(
				literal(settings.keyPrefix()), settings.reservation().toMillis(), settings.fenceRetention().toMillis(),
				StoreScripts.LEAP.toNanos() / 1000);
		return of(constants + read("/META-INF/lock-starter/lock.lua"));
	}

	/**
	 * Return the script that makes tokens leap ahead on a server that took over.
	 * @return the script
	 */
	static LuaScript follow() {
		return of(read("/META-INF/lock-starter/follow.lua"));
	}

	private static LuaScript of(String source) {
		return new LuaScript(source, sha1(source.getBytes(StandardCharsets.UTF_8)));
	}

	/**
	 * Quote any text for Lua: by its bytes, in decimal.
	 */
	private static String literal(String text) {
		StringBuilder literal = new StringBuilder("'");
		for (byte next : text.getBytes(StandardCharsets.UTF_8)) {
			boolean plain = Character.isLetterOrDigit(next) && next > 0;
			literal.append(plain ? (char) next : "\\%03d".formatted(next & 0xff));
		}
		return literal.append('\'').toString();
	}

	private static String read(String resource) {
		try (InputStream in = LuaScript.class.getResourceAsStream(resource)) {
			if (in == null) {
				throw new IllegalStateException("Class path lacks " + resource);
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
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
