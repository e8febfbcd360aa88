// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of meters lists those that there are, and the dashboard and the alert rules
 * ask for them.
 */
class MetricsTest {

	private static final Path DOCS = Path.of("../docs");

	private static final Pattern METER = Pattern.compile("^\\| `(distributed\\.lock[a-z.]*)` \\| (\\w+) \\|([^|]*)\\|",
			Pattern.MULTILINE);

	private static final Pattern SERIES = Pattern.compile("distributed_lock_\\w+");

	private static final Pattern SELECTOR = Pattern.compile("(distributed_lock_\\w+)\\{([^}]*)\\}");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!=|=)\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

	// of Prometheus itself, or set by the application
	private static final Set<String> LABELS_OF_OTHERS = Set.of("application", "instance");

	@Test
	void everyMeterStandsInTheTableWithItsTypeAndItsTags() throws IOException {
		MeterRegistry meters = measured(new SimpleMeterRegistry());
		Map<String, String> there = new TreeMap<>();
		for (Meter meter : meters.getMeters()) {
			String tags = meter.getId()
				.getTags()
				.stream()
				.map(Tag::getKey)
				.map("`%s`"::formatted)
				.sorted()
				.collect(Collectors.joining(", "));
			String type = switch (meter.getId().getType()) {
				case DISTRIBUTION_SUMMARY -> "summary";
				default -> meter.getId().getType().name().toLowerCase(Locale.ROOT);
			};
			// Of the buckets of a summary each is a gauge here.
			if (!meter.getId().getName().endsWith(".histogram")) {
				there.put(meter.getId().getName(), type + " " + tags);
			}
		}
		Map<String, String> documented = METER.matcher(Files.readString(DOCS.resolve("monitoring.md")))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2) + " "
					+ List.of(row.group(3).trim().split(", ")).stream().sorted().collect(Collectors.joining(", ")),
					(a, b) -> b, TreeMap::new));
		assertThat(documented).isEqualTo(there);
	}

	@Test
	void everyQueryOfTheDashboardAsksForASeriesThatThereIs() throws IOException {
		String scrape = scrape();
		List<String> queries = JsonPath.read(dashboard(), "$..targets[*].expr");
		List<String> variables = JsonPath.read(dashboard(), "$..definition");
		assertThat(queries).hasSizeGreaterThan(15);
		assertThat(variables).hasSize(2);
		queries.forEach((query) -> check(query, scrape));
		variables.forEach((variable) -> check(variable, scrape));
	}

	@Test
	void everyAlertAsksForSeriesThatThereAreAndIsTested() throws IOException {
		String scrape = scrape();
		List<Map<String, String>> rules = JsonPath.read(rules("distributed-locks.rules.yml"), "$.groups[*].rules[*]");
		assertThat(rules).hasSizeGreaterThanOrEqualTo(4);
		rules.forEach((rule) -> check(Objects.requireNonNull(rule.get("expr")), scrape));
		List<String> tested = JsonPath.read(rules("distributed-locks.test.yml"), "$..alertname");
		assertThat(rules.stream().map((rule) -> rule.get("alert"))).containsOnlyOnceElementsOf(Set.copyOf(tested))
			.hasSize(Set.copyOf(tested).size());
	}

	@Test
	void whatIsLeftAtARenewalThatIsInTimeIsBetweenTwoBuckets() {
		assertThat(scrape()).contains("margin_percent_bucket{lock=\"unnamed\",le=\"60.0\"} 0")
			.contains("margin_percent_bucket{lock=\"unnamed\",le=\"70.0\"} 1");
	}

	@Test
	void whatIsCountedOverAnHourIsRounded() throws IOException {
		List<String> counted = JsonPath.read(dashboard(), "$.panels[?(@.type == 'stat')].targets[*].expr");
		assertThat(counted.stream().filter((query) -> query.contains("increase"))).isNotEmpty()
			.allMatch((query) -> query.startsWith("sum(round(increase("));
	}

	@Test
	void everyMeterHasAPanel() throws IOException {
		Set<String> shown = SERIES.matcher(dashboard())
			.results()
			.map((series) -> series.group().replaceFirst("_(total|count|sum|max|bucket)$", ""))
			.collect(Collectors.toCollection(TreeSet::new));
		Set<String> there = scrape().lines()
			.filter((line) -> line.startsWith("distributed_lock_"))
			.map((line) -> line.replaceFirst("[{ ].*", "").replaceFirst("_(total|count|sum|max|bucket)$", ""))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(shown).isEqualTo(there);
	}

	private static void check(String query, String scrape) {
		assertThat(SERIES.matcher(query).results().map((series) -> series.group())).as(query)
			.isNotEmpty()
			.allSatisfy((series) -> assertThat(scrape).containsPattern("(?m)^" + series + "[{ ]"));
		SELECTOR.matcher(query).results().forEach((selector) -> {
			Stream<String> series = scrape.lines().filter((line) -> line.startsWith(selector.group(1) + "{"));
			List<String> labels = MATCHER.matcher(selector.group(2))
				.results()
				.filter((label) -> !LABELS_OF_OTHERS.contains(label.group(1)))
				.map((label) -> label.group(1) + "=\"" + (label.group(3).startsWith("$") ? "" : label.group(3) + "\""))
				.toList();
			if (!labels.isEmpty()) {
				assertThat(series).as(query).anyMatch((line) -> labels.stream().allMatch(line::contains));
			}
		});
		GROUPING.matcher(query)
			.results()
			.flatMap((labels) -> List.of(labels.group(1).split(", ")).stream())
			.filter((label) -> !LABELS_OF_OTHERS.contains(label))
			.forEach((label) -> assertThat(scrape).as(query).contains(label + "=\""));
	}

	private static String scrape() {
		return measured(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)).scrape();
	}

	private static Object rules(String file) throws IOException {
		return new Yaml().load(Files.readString(DOCS.resolve("prometheus").resolve(file)));
	}

	private static String dashboard() throws IOException {
		return Files.readString(DOCS.resolve("grafana/distributed-locks.json"));
	}

	private static <T extends MeterRegistry> T measured(T meters) {
		LockMetrics metrics = new LockMetrics(meters);
		DefaultLockRegistry locks = new DefaultLockRegistry("app", new MemoryLockStore(), RegistrySettings.defaults(),
				List.of(), List.of(metrics));
		metrics.bindTo(locks);
		metrics.bindTo(LeaderElection.of(locks, "reports"));
		try (Lease lease = locks.acquireAsync("stock:42", LockOptions.defaults()).join()) {
			metrics.renewed(lease, 20, 30, false);
		}
		locks.stop();
		return meters;
	}

}
