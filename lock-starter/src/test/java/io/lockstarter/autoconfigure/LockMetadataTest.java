// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an IDE shows.
 */
class LockMetadataTest {

	@Test
	void everyPropertyHasTypeAndDescriptionAndNearlyAllHaveADefault() throws IOException {
		List<Map<String, Object>> properties = section("properties").stream()
			.filter((property) -> property.get("name").toString().startsWith("distributed-lock."))
			.toList();
		assertThat(properties).extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrderElementsOf(names().toList());
		assertThat(properties).allSatisfy((property) -> {
			assertThat(property).containsKeys("type", "description");
			assertThat(property.get("description").toString()).endsWith(".").hasSizeGreaterThan(10);
		});
		assertThat(properties).filteredOn((property) -> !property.containsKey("defaultValue"))
			.extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrder("distributed-lock.url", "distributed-lock.ssl-bundle",
					"distributed-lock.max-hold", "distributed-lock.leader.ttl", "distributed-lock.fence.data-source",
					"distributed-lock.fence.purge-interval");
		assertThat(properties).filteredOn((property) -> property.get("name").equals("distributed-lock.order"))
			.singleElement()
			.satisfies((order) -> assertThat(order.get("defaultValue")).isEqualTo(LockProperties.DEFAULT_ORDER));
	}

	@Test
	void everyStoreHasAHint() throws IOException {
		assertThat(section("hints")).filteredOn((hint) -> hint.get("name").equals("distributed-lock.store"))
			.singleElement()
			.satisfies((hint) -> assertThat(hint.get("values").toString()).contains("redis", "memory"));
	}

	@Test
	void everyValidationHasAHint() throws IOException {
		assertThat(section("hints")).filteredOn((hint) -> hint.get("name").equals("distributed-lock.validation"))
			.singleElement()
			.satisfies((hint) -> assertThat(hint.get("values").toString()).contains("fail", "warn", "off"));
	}

	@Test
	void propertiesOfTheEndpointAreThere() throws IOException {
		assertThat(section("properties")).extracting((property) -> property.get("name"))
			.contains("management.endpoint.locks.show-values", "management.endpoint.locks.roles",
					"management.endpoint.locks.access");
	}

	@Test
	void propertyOfTheHealthCheckIsThere() throws IOException {
		assertThat(section("properties"))
			.filteredOn((property) -> property.get("name").equals("management.health.distributed-lock.enabled"))
			.singleElement()
			.satisfies((property) -> assertThat(property).containsEntry("defaultValue", true)
				.containsEntry("type", "java.lang.Boolean")
				.containsKey("description"));
	}

	private static Stream<String> names() {
		return Stream
			.of(names("distributed-lock.", LockProperties.class).filter((name) -> !name.endsWith(".leader")),
					names("distributed-lock.leader.", LockProperties.Leader.class),
					names("distributed-lock.fence.", FenceProperties.class),
					names("distributed-lock.endpoint.", ForceReleaseProperties.class))
			.flatMap((names) -> names);
	}

	private static Stream<String> names(String prefix, Class<?> properties) {
		return Arrays.stream(properties.getDeclaredFields())
			.filter((field) -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
			.map(Field::getName)
			.map((name) -> ConfigurationPropertyName
				.of(prefix + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
				.toString());
	}

	private static List<Map<String, Object>> section(String name) throws IOException {
		try (InputStream json = LockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return JsonPath.read(json, "$." + name);
		}
	}

}
