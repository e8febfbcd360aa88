// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/**
 * A certificate of its own issuer for {@code localhost}, made by {@code keytool}, and its
 * private key, in files.
 *
 * @param certificate the certificate in PEM, which whoever trusts it is given
 * @param key the private key in PEM
 */
public record Certificate(Path certificate, Path key) {

	private static final char[] PASSWORD = "changeit".toCharArray();

	/**
	 * Create a certificate.
	 * @param directory where to put the files
	 * @return the certificate
	 */
	public static Certificate create(Path directory) {
		Path store = directory.resolve("store.p12");
		keytool("-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-keysize", "2048", "-validity", "2", "-dname",
				"CN=localhost", "-ext", "san=dns:localhost", "-storetype", "PKCS12", "-storepass", new String(PASSWORD),
				"-keystore", store.toString());
		try {
			KeyStore entries = KeyStore.getInstance(store.toFile(), PASSWORD);
			PrivateKey key = (PrivateKey) entries.getKey("redis", PASSWORD);
			return new Certificate(
					pem(directory.resolve("redis.crt"), "CERTIFICATE", entries.getCertificate("redis").getEncoded()),
					pem(directory.resolve("redis.key"), "PRIVATE KEY", key.getEncoded()));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the arguments of a {@code redis-server} that speaks TLS on one port, beside
	 * its ordinary one.
	 * @param port the port for TLS
	 * @return the arguments
	 */
	public String[] serverOptions(int port) {
		return new String[] { "--tls-port", String.valueOf(port), "--tls-cert-file", this.certificate.toString(),
				"--tls-key-file", this.key.toString(), "--tls-auth-clients", "no" };
	}

	/**
	 * Return properties of Spring Boot that define an SSL bundle which trusts this.
	 * @param bundle its name
	 * @return the properties
	 */
	public String trustedBy(String bundle) {
		return "spring.ssl.bundle.pem.%s.truststore.certificate=%s".formatted(bundle, this.certificate.toUri());
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		String base64 = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, base64));
	}

	private static void keytool(String... arguments) {
		List<String> command = Stream
			.concat(Stream.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()),
					Arrays.stream(arguments))
			.toList();
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
