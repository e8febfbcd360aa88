// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of {@code docs/configuration.md} has the properties of all jars.
 */
class PropertyTableTest {

	private static final Path DOCS = Path.of("../docs");

	private static final Pattern PROPERTY = Pattern.compile("^\\| `([a-z.-]+)` \\| (`[^`]+`|none) \\| ",
			Pattern.MULTILINE);

	@Test
	void everyPropertyStandsInTheTableWithItsDefault() throws IOException {
		Map<String, String> documented = PROPERTY.matcher(Files.readString(DOCS.resolve("configuration.md")))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2), (a, b) -> b, TreeMap::new));
		assertThat(documented).isEqualTo(properties());
	}

	private static Map<String, String> properties() throws IOException {
		Map<String, String> properties = new TreeMap<>();
		for (URL metadata : Collections.list(
				PropertyTableTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream json = metadata.openStream()) {
				List<Map<String, Object>> described = JsonPath.read(json, "$.properties");
				described.stream()
					.filter((property) -> property.get("name").toString().startsWith("distributed-lock."))
					.forEach((property) -> properties.put(
							property.get("name").toString().substring("distributed-lock.".length()),
							property.containsKey("defaultValue") ? "`" + property.get("defaultValue") + "`" : "none"));
			}
		}
		return properties;
	}

}
