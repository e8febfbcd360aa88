// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;

/**
 * The file in which other instances find the Redis and the database of the one that was
 * started last. The profile {@code join} reads it.
 * <p>
 * Its name is known to all users of this machine, and the URL of a database can make H2
 * run code. So it is in a directory that only its owner may use, and nobody follows an
 * invitation that somebody else may have written.
 */
final class Invitation {

	private static final Log logger = LogFactory.getLog(Invitation.class);

	private static final String[] SERVICES = { LocalServicesInitializer.REDIS_URL,
			LocalServicesInitializer.DATABASE_URL };

	private final Path file;

	private final Properties services = new Properties();

	private Invitation(Environment environment) {
		this.file = file(environment);
		for (String name : SERVICES) {
			String value = environment.getProperty(name);
			if (value != null) {
				this.services.setProperty(name, value);
			}
		}
	}

	private static Path file(Environment environment) {
		return Path.of(environment.getRequiredProperty("sale.invitation")).toAbsolutePath();
	}

	/**
	 * Return where the services are, of the instance that was started last.
	 */
	static Map<String, Object> accept(Environment environment) throws IOException {
		Path file = file(environment);
		if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
			throw new NoSuchFileException("No sale is open on this machine: there is no " + file);
		}
		OwnFiles.check(file);
		Properties services = new Properties();
		try (Reader reader = Files.newBufferedReader(file)) {
			services.load(reader);
		}
		Map<String, Object> accepted = new LinkedHashMap<>();
		for (String name : SERVICES) {
			String value = services.getProperty(name);
			if (value != null) {
				accepted.put(name, value);
			}
		}
		return accepted;
	}

	static void publish(GenericApplicationContext context) {
		Environment environment = context.getEnvironment();
		Invitation invitation = new Invitation(environment);
		try {
			invitation.write();
		}
		catch (IOException ex) {
			logger.warn("Other instances cannot join by their profile: %s".formatted(ex));
			return;
		}
		context.getDefaultListableBeanFactory().registerDisposableBean("invitation", invitation::withdraw);
		logger.info("""
				The sale is open: http://127.0.0.1:%s/
				A second instance starts from that page, or from the root of the project:
				mvn -ntp -Dmaven.test.skip=true spring-boot:run -Dspring-boot.run.profiles=join
				""".formatted(environment.getProperty("local.server.port")));
	}

	private void write() throws IOException {
		OwnFiles.createDirectory(Objects.requireNonNull(this.file.getParent()));
		Files.deleteIfExists(this.file);
		try (Writer writer = Files.newBufferedWriter(this.file, StandardOpenOption.CREATE_NEW)) {
			this.services.store(writer, null);
		}
	}

	/**
	 * Delete the file, unless somebody else has invited meanwhile.
	 */
	private void withdraw() throws IOException {
		Properties latest = new Properties();
		if (Files.exists(this.file)) {
			try (Reader reader = Files.newBufferedReader(this.file)) {
				latest.load(reader);
			}
			if (latest.equals(this.services)) {
				Files.delete(this.file);
			}
		}
	}

}
