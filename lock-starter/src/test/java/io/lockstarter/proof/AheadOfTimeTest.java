// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A service that was processed ahead of time, as Spring Boot's build plugins do it, locks
 * as it did.
 */
@Tag("proof")
class AheadOfTimeTest {

	@TempDir
	private Path directory;

	@Test
	void processedServiceLocks() {
		Path sources = this.directory.resolve("sources");
		Path resources = this.directory.resolve("resources");
		Path classes = this.directory.resolve("classes");
		try (JvmProcess processing = JvmProcess.start(JvmProcess.classPath(), List.of("-Dslf4j.provider="),
				SpringApplicationAotProcessor.class, AotApplication.class.getName(), sources, resources, classes,
				"io.lockstarter", "lock-starter")) {
			assertThat(processing.awaitRest()).noneMatch((line) -> line.contains("Exception"));
			assertThat(processing.awaitEnd()).isZero();
		}
		compile(sources, classes);
		assertThat(read(resources).replace("\\/", "/")).contains("META-INF/lock-starter/", "AotApplication$Customer");
		List<String> classPath = new ArrayList<>(JvmProcess.classPath());
		classPath.addAll(0, List.of(classes.toString(), resources.toString()));
		try (RedisServer redis = RedisServers.start();
				JvmProcess service = JvmProcess.start(classPath, List.of("-Dspring.aot.enabled=true"),
						AotApplication.class, "--spring.data.redis.port=" + redis.port(), "--shop.region=eu",
						"--spring.main.banner-mode=off")) {
			assertThat(service.await("aot")).isEqualTo("true");
			assertThat(service.await("proxied")).isEqualTo("true");
			assertThat(service.await("locked")).isEqualTo("eu:acme:ship:c7");
			assertThat(service.await("held")).isEqualTo("true");
			assertThat(service.await("answered")).isEqualTo("busy 1");
			assertThat(service.await("answered")).isEqualTo("free");
			assertThat(service.await("checked")).isEqualTo("true");
			assertThat(service.awaitEnd()).isZero();
		}
	}

	private static void compile(Path sources, Path classes) {
		List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp",
				String.join(File.pathSeparator, JvmProcess.classPath()) + File.pathSeparator + classes));
		files(sources).map(Path::toString).filter((file) -> file.endsWith(".java")).forEach(arguments::add);
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.isZero();
	}

	private static String read(Path directory) {
		StringBuilder content = new StringBuilder();
		files(directory).forEach((file) -> {
			try {
				content.append(Files.readString(file));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		return content.toString();
	}

	private static Stream<Path> files(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter(Files::isRegularFile).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
