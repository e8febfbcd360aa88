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
	void everyPropertyHasTypeDescriptionAndDefault() throws IOException {
		List<Map<String, Object>> properties = section("properties");
		assertThat(properties).extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrderElementsOf(names().toList());
		assertThat(properties).allSatisfy((property) -> {
			assertThat(property).containsKeys("type", "description", "defaultValue");
			assertThat(property.get("description").toString()).endsWith(".").hasSizeGreaterThan(10);
		});
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

	private static Stream<String> names() {
		return Arrays.stream(LockProperties.class.getDeclaredFields())
			.filter((field) -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
			.map(Field::getName)
			.map((name) -> ConfigurationPropertyName
				.of("distributed-lock." + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
				.toString());
	}

	private static List<Map<String, Object>> section(String name) throws IOException {
		try (InputStream json = LockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return JsonPath.read(json, "$." + name);
		}
	}

}
