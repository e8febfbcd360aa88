// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceIdTest {

	private static final String PROCESS = "-" + ProcessHandle.current().pid() + "-[0-9a-f]{16}";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "orders,orders", "My Shop!,my-shop", "a:b,a-b", "Zürich,z-rich", "'  ',app", "!!,app" })
	void nameOfTheApplicationIsReducedToWhatAnIdMayContain(String application, String expected) {
		assertThat(InstanceId.create(application, null)).matches(expected + PROCESS);
	}

	@ParameterizedTest
	@CsvSource({ "orders-6c5d-x2k,orders-6c5d-x2k", "DESKTOP-7,desktop-7", "'host.example\n',host.example",
			"a:b!c,a-b-c" })
	void hostFollowsTheNameOfTheApplication(String host, String expected) {
		assertThat(InstanceId.create("orders", host)).matches("orders@" + expected + PROCESS);
	}

	@Test
	void applicationWithoutANameIsCalledApp() {
		assertThat(InstanceId.create(null, "web-1")).startsWith("app@web-1-");
	}

	@Test
	void longNamesAreCut() {
		assertThat(InstanceId.create("x".repeat(500), "y".repeat(500))).hasSizeLessThan(180);
	}

	@Test
	void noTwoRegistriesHaveTheSameId() {
		assertThat(InstanceId.create("orders")).isNotEqualTo(InstanceId.create("orders"));
	}

	@Test
	void hostIsWhatTheContainerSetsElseWhatTheKernelKnows() throws IOException {
		Path kernel = Files.writeString(this.directory.resolve("hostname"), "node-3\n");
		assertThat(InstanceId.host(Map.of("HOSTNAME", "orders-6c5d-x2k"), kernel)).isEqualTo("orders-6c5d-x2k");
		assertThat(InstanceId.host(Map.of("COMPUTERNAME", "DESKTOP-7"), kernel)).isEqualTo("DESKTOP-7");
		assertThat(InstanceId.host(Map.of("HOSTNAME", ""), kernel)).isEqualTo("node-3\n");
	}

	@Test
	void hostThatNobodyKnowsIsLeftOut() {
		assertThat(InstanceId.host(Map.of(), this.directory.resolve("none"))).isNull();
	}

}
