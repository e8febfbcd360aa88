// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each map, collection and thread local of the packages that live as long as the
 * application has a bound, which {@code bounds.txt} names.
 */
class BoundsTest {

	private static final String PACKAGE = "io.lockstarter.";

	private static final List<String> PACKAGES = List.of("engine", "redis", "quorum", "migration", "interceptor");

	private static final List<Class<?>> KINDS = List.of(Map.class, Collection.class, ThreadLocal.class);

	@Test
	void eachCollectionHasABound() throws IOException {
		assertThat(fields()).isNotEmpty().containsExactlyInAnyOrderElementsOf(bounds().keySet());
	}

	@Test
	void testsThatSeeABoundAreThere() throws IOException {
		assertThat(bounds().values()).filteredOn((bound) -> !List.of("fixed", "call").contains(bound))
			.isNotEmpty()
			.allSatisfy((test) -> assertThat(Class.forName(PACKAGE + test)).isNotNull());
	}

	private static List<String> fields() {
		return new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
			.withImportOption((location) -> !location.contains("-tests.jar"))
			.importPackages(PACKAGES.stream().map((name) -> PACKAGE + name).toList())
			.stream()
			.filter((type) -> !type.isRecord())
			.map(JavaClass::getFields)
			.flatMap(Collection::stream)
			.filter((field) -> !field.getModifiers().contains(JavaModifier.SYNTHETIC))
			.filter((field) -> KINDS.stream().anyMatch(field.getRawType()::isAssignableTo))
			.map(BoundsTest::name)
			.toList();
	}

	private static String name(JavaField field) {
		return field.getOwner().getName().substring(PACKAGE.length()) + "." + field.getName();
	}

	private static Map<String, String> bounds() throws IOException {
		Map<String, String> bounds = new TreeMap<>();
		try (InputStream text = Objects.requireNonNull(BoundsTest.class.getResourceAsStream("/bounds.txt"))) {
			for (String line : new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
				if (!line.startsWith("#")) {
					String[] words = line.split(" +", -1);
					assertThat(bounds.put(words[0], words[1])).as("%s twice", words[0]).isNull();
				}
			}
		}
		return bounds;
	}

}
