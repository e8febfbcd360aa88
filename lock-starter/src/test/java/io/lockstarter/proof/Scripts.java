package io.lockstarter.proof;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * How the scripts of the starter show up in the protocol.
 */
final class Scripts {

	static final String ACQUIRE = sha1("acquire.lua");

	static final String RELEASE = sha1("release.lua");

	static final String RENEW = sha1("renew.lua");

	private Scripts() {
	}

	private static String sha1(String name) {
		try (InputStream in = Scripts.class.getResourceAsStream("/META-INF/lock-starter/" + name)) {
			byte[] source = Objects.requireNonNull(in, name).readAllBytes();
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
