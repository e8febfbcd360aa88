package io.lockstarter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The scripts, each read once. What a script does, takes and replies stands at its top.
 */
enum LuaScript {

	ACQUIRE, RELEASE, RENEW;

	private final String source;

	private final String sha1;

	LuaScript() {
		byte[] bytes = read("/META-INF/lock-starter/%s.lua".formatted(verb()));
		this.source = new String(bytes, StandardCharsets.UTF_8);
		this.sha1 = sha1(bytes);
	}

	/**
	 * Return what the script does to a lock, for messages.
	 * @return the verb
	 */
	String verb() {
		return name().toLowerCase(Locale.ROOT);
	}

	String source() {
		return this.source;
	}

	String sha1() {
		return this.sha1;
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
