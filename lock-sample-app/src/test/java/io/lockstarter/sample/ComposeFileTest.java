// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The compose file fits to the sample, to its own parts and to the files that it mounts.
 * No container is started.
 */
class ComposeFileTest {

	private static final Path FILE = Path.of("compose.yaml");

	private final Map<String, Object> compose = load(read(FILE));

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, Object> load(String yaml) {
		return new Yaml().load(yaml);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sale-1", "sale-2" })
	void prometheusAsksEachInstanceByAnAllowedNameAtItsPort(String service) throws IOException {
		String port = argument(service, "server.port");
		assertThat(texts("$.services.['%s'].ports".formatted(service)))
			.containsExactly("127.0.0.1:%s:%s".formatted(port, port));
		Map<String, Object> prometheus = config("prometheus");
		assertThat(JsonPath.<List<String>>read(prometheus, "$.scrape_configs[0].static_configs[0].targets"))
			.contains(service + ":" + port);
		String path = JsonPath.read(prometheus, "$.scrape_configs[0].metrics_path");
		try (RunningShop shop = RunningShop.start("--sale.allowed-hosts=" + argument(service, "sale.allowed-hosts"))) {
			assertThat(get(shop, path, service)).startsWith("HTTP/1.1 200 ")
				.contains("distributed_lock_active{application=\"flash-sale\"");
			assertThat(get(shop, path, "sale-3")).startsWith("HTTP/1.1 421 ");
		}
	}

	@Test
	void instancesUseTheServicesThatThereAre() {
		for (String service : List.of("sale-1", "sale-2")) {
			assertThat(argument(service, "spring.data.redis.url")).isEqualTo("redis://redis:6379");
			assertThat(text("$.services.['%s'].environment.SALE_DATABASE_URL".formatted(service)))
				.isEqualTo("jdbc:postgresql://postgres:5432/" + text("$.services.postgres.environment.POSTGRES_DB"));
			assertThat(
					JsonPath.<Map<String, Object>>read(this.compose, "$.services.['%s'].depends_on".formatted(service)))
				.containsOnlyKeys("redis", "postgres");
		}
		Map<String, Object> profile = load(read(Path
			.of("src/main/resources/application-%s.yml".formatted(argument("sale-1", "spring.profiles.active")))));
		assertThat(JsonPath.<String>read(profile, "$.['spring.datasource'].url")).contains("${SALE_DATABASE_URL:");
		assertThat(JsonPath.<String>read(profile, "$.['spring.datasource'].username"))
			.endsWith(":%s}".formatted(text("$.services.postgres.environment.POSTGRES_USER")));
		assertThat(text("$.services.redis.command")).contains("--maxmemory-policy noeviction");
	}

	@Test
	void mountedFilesAreThere() {
		List<String> volumes = texts("$.services..volumes[*]");
		assertThat(volumes).hasSize(4).allSatisfy((volume) -> {
			Path file = Path.of(volume.substring(0, volume.indexOf(':')));
			if (file.startsWith("./target")) {
				assertThat(file.getFileName()).hasToString("lock-sample-app-%s.jar".formatted(version()));
			}
			else {
				assertThat(FILE.resolveSibling(file)).exists();
			}
		});
		assertThat(JsonPath.<List<String>>read(config("prometheus"), "$.rule_files"))
			.allMatch((file) -> volumes.stream().anyMatch((volume) -> volume.contains(":" + file + ":")));
		assertThat(JsonPath.<String>read(config("dashboards"), "$.providers[0].options.path"))
			.isEqualTo("/var/lib/grafana/dashboards");
		assertThat(volumes).contains("../docs/grafana:/var/lib/grafana/dashboards:ro");
		assertThat(JsonPath.<String>read(config("datasource"), "$.datasources[0].url"))
			.isEqualTo("http://prometheus:9090");
	}

	private static String version() {
		String pom = read(Path.of("pom.xml"));
		return pom.substring(pom.indexOf("<version>") + "<version>".length(), pom.indexOf("</version>"));
	}

	private String text(String path) {
		return JsonPath.read(this.compose, path);
	}

	private List<String> texts(String path) {
		return JsonPath.read(this.compose, path);
	}

	private Map<String, Object> config(String name) {
		return load(text("$.configs.%s.content".formatted(name)));
	}

	private String argument(String service, String property) {
		List<String> command = texts("$.services.['%s'].command".formatted(service));
		String start = "--" + property + "=";
		return command.stream()
			.filter((argument) -> argument.startsWith(start))
			.map((argument) -> argument.substring(start.length()))
			.findFirst()
			.orElseThrow();
	}

	private static String get(RunningShop shop, String path, String host) throws IOException {
		URI address = URI.create(shop.url());
		try (Socket socket = new Socket(address.getHost(), address.getPort())) {
			socket.getOutputStream()
				.write("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host)
					.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
