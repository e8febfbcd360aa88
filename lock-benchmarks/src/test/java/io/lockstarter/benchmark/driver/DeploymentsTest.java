// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.service.Service;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Needs the executable jars, and so runs after they are built.
 */
@Tag("proof")
class DeploymentsTest {

	private static final String APPLICATION = "org.springframework.boot.SpringApplication source: ";

	@TempDir
	private Path directory;

	@Test
	void extractedServiceLoadsItsClassesFromJars() throws InterruptedException {
		assertThat(sourceOfTheApplication(Scenario.START_UP_EXTRACTED)).startsWith("file:")
			.contains(this.directory.toString());
	}

	@Test
	void serviceWithAnArchiveLoadsItsClassesFromThere() throws InterruptedException {
		assertThat(sourceOfTheApplication(Scenario.START_UP_SHARED)).isEqualTo("shared objects file (top)");
	}

	private String sourceOfTheApplication(Scenario scenario) throws InterruptedException {
		Deployments deployments = new Deployments(Path.of("target"), this.directory, Jdk.current());
		try (RedisProcess redis = RedisProcess.start(this.directory)) {
			Deployments.Deployment deployed = deployments.get(scenario, ServiceProcess.WITHOUT, redis.port(),
					Service.CALL);
			assertThat(deployments.get(scenario, ServiceProcess.WITHOUT, redis.port(), Service.CALL))
				.isSameAs(deployed);
			List<String> jvmArguments = new ArrayList<>(deployed.jvmArguments());
			jvmArguments.add("-Xlog:class+load=info:stdout:none");
			try (ServiceProcess service = ServiceProcess.start(List.of(), Jdk.current(), jvmArguments, deployed.jar(),
					this.directory.resolve("service"), redis.port(), Service.CALL)) {
				return service.awaitEnd(Duration.ofMinutes(2))
					.stream()
					.filter((line) -> line.startsWith(APPLICATION))
					.map((line) -> line.substring(APPLICATION.length()))
					.findFirst()
					.orElseThrow();
			}
		}
	}

}
