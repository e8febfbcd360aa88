// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The public and protected signatures that applications may use are those of
 * {@code public-api.txt}: a break is a decision, and shows in a diff. The builds of other
 * jars run this test, too, each in its own directory.
 */
class PublicApiTest {

	private static final String FILE = "public-api.txt";

	/**
	 * What is public in the other packages is so for us alone.
	 */
	private static final List<String> PACKAGES = List.of("", "annotation", "engine", "fence", "store", "memory",
			"integration/shedlock", "integration/spring", "kotlin", "leader", "migration", "observe", "quorum",
			"quorum/redis", "redis", "standalone", "test");

	private static final Path CLASSES = Path.of("target/classes");

	private static final Path EXPECTED = Path.of("src/test/resources", FILE);

	@Test
	void signaturesAreThoseOfTheFile() throws Exception {
		String actual = signatures();
		Path written = CLASSES.resolveSibling(FILE);
		Files.writeString(written, actual);
		assertThat(actual.lines())
			.as("The public API differs from %s. If that is meant: cp %s %s, and say in docs/changelog.md what users have to change",
					EXPECTED.toAbsolutePath(), written.toAbsolutePath(), EXPECTED.toAbsolutePath())
			.isNotEmpty()
			.containsExactlyElementsOf(Files.exists(EXPECTED) ? Files.readAllLines(EXPECTED) : List.of());
	}

	private static String signatures() throws Exception {
		StringBuilder text = new StringBuilder();
		for (String name : PACKAGES) {
			Path directory = CLASSES.resolve("io/lockstarter").resolve(name);
			if (!Files.isDirectory(directory)) {
				continue;
			}
			try (Stream<Path> files = Files.list(directory)) {
				files.map((file) -> file.getFileName().toString())
					.filter((file) -> file.endsWith(".class") && !file.equals("package-info.class"))
					.map((file) -> "io.lockstarter." + (name.isEmpty() ? "" : name.replace('/', '.') + ".")
							+ file.substring(0, file.length() - ".class".length()))
					.map(PublicApiTest::load)
					.filter(PublicApiTest::isVisible)
					.sorted((one, other) -> one.getName().compareTo(other.getName()))
					.forEach((type) -> describe(type, text));
			}
		}
		return text.toString();
	}

	private static Class<?> load(String name) {
		try {
			return Class.forName(name, false, PublicApiTest.class.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isVisible(Class<?> type) {
		Class<?> outer = type.getDeclaringClass();
		return isVisible(type.getModifiers()) && !type.isAnonymousClass() && !type.isLocalClass()
				&& (outer == null || isVisible(outer));
	}

	private static boolean isVisible(int modifiers) {
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
	}

	private static void describe(Class<?> type, StringBuilder text) {
		// A newer JDK says what is sealed.
		text.append(type.toGenericString().replace("non-sealed ", "").replace("sealed ", ""));
		if (type.getGenericSuperclass() != null && type.getSuperclass() != Object.class) {
			text.append(" extends ").append(type.getGenericSuperclass().getTypeName());
		}
		Arrays.stream(type.getGenericInterfaces())
			.forEach((implemented) -> text.append(" implements ").append(implemented.getTypeName()));
		text.append('\n');
		Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
			.<AccessibleObject>flatMap(Arrays::stream)
			.filter((member) -> member instanceof Member known && isVisible(known.getModifiers())
					&& !known.isSynthetic())
			.map(PublicApiTest::describe)
			.sorted()
			.forEach((member) -> text.append("\t").append(member).append('\n'));
	}

	private static String describe(AccessibleObject member) {
		if (member instanceof Method method && method.getDeclaringClass().isAnnotation()) {
			return method.toGenericString() + " default " + Objects.toString(
					(method.getDefaultValue() instanceof Object[] array) ? List.of(array) : method.getDefaultValue());
		}
		return (member instanceof Executable executable) ? executable.toGenericString()
				: ((Field) member).toGenericString();
	}

}
