// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;
import io.lockstarter.Permits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of log messages say what there is, and links lead somewhere.
 */
class ReferenceTest {

	private static final Path DOCS = Path.of("../docs");

	private static final Pattern MESSAGE = Pattern.compile("^\\| (?:WARN|INFO|ERROR) \\| `([^`]+)` \\|",
			Pattern.MULTILINE);

	private static final Pattern BAR = Pattern
		.compile("<text data-row=\"([^\"]+)\"[^>]*>([^<]+)</text>\n<text class=\"p99\"[^>]*>([^<]+)</text>");

	private static final Pattern RATE = Pattern.compile("^\\| ([^|]+) \\| ([\\d,]+) \\| ", Pattern.MULTILINE);

	private static final Pattern SOURCE = Pattern.compile(
			"\\.\\./lock-starter(?:-(?:quorum|migration|test))?/src/main/(?:java|kotlin)/io/lockstarter/(?:(.+)/)?\\w+\\.(?:java|kt)");

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)#: ]*)(#[^) ]+)?\\)");

	// Some of the page about tests are of its reader.
	private static final Pattern TEST = Pattern.compile("`((?!Shop|Import|Report)[A-Z]\\w+Test)`");

	@Test
	void everyLogMessageIsOneOfTheSources() {
		String sources = Sources.java("src/main/java", (source) -> source.replaceAll("\"\\s*\\+\\s*\"", ""));
		List<String> messages = Stream.of("troubleshooting.md", "internals/monitoring.md")
			.flatMap((page) -> MESSAGE.matcher(Sources.read(DOCS.resolve(page))).results())
			.map((row) -> row.group(1))
			.toList();
		assertThat(messages).hasSizeGreaterThan(15)
			.allSatisfy((message) -> assertThat(message.split("…", -1))
				.allSatisfy((part) -> assertThat(sources).contains(part)));
	}

	@Test
	void everyLinkLeadsSomewhere() throws IOException {
		try (Stream<Path> pages = Files.walk(DOCS)) {
			Stream.concat(pages.filter((page) -> page.toString().endsWith(".md")), Stream.of(Path.of("../README.md"),
					Path.of("../CONTRIBUTING.md"), Path.of("../SECURITY.md"), Path.of("../lock-sample-app/README.md")))
				.forEach(ReferenceTest::checkLinks);
		}
	}

	@Test
	void testsThatPagesNameAreThere() throws IOException {
		List<String> tests = new ArrayList<>();
		try (Stream<Path> files = Files.walk(Path.of(".."))) {
			files.map((file) -> String.valueOf(file.getFileName()))
				.filter((name) -> name.endsWith("Test.java"))
				.forEach((name) -> tests.add(name.substring(0, name.length() - ".java".length())));
		}
		try (Stream<Path> pages = Files.list(DOCS)) {
			List<String> named = pages.filter((page) -> page.toString().endsWith(".md"))
				.flatMap((page) -> TEST.matcher(Sources.read(page)).results())
				.map((match) -> match.group(1))
				.toList();
			assertThat(named).hasSizeGreaterThan(15);
			assertThat(tests).containsAll(named);
		}
	}

	@Test
	void internalsSayWhereTheReasonsOfEachPackageAre() throws IOException {
		String table = Sources.read(DOCS.resolve("internals/README.md"))
			.lines()
			.filter((line) -> line.startsWith("| `"))
			.collect(Collectors.joining("\n"));
		try (Stream<Path> files = Files.walk(Path.of(".."))) {
			List<String> packages = files.map((file) -> file.toString().replace('\\', '/'))
				.map(SOURCE::matcher)
				.filter(Matcher::matches)
				.map((source) -> (source.group(1) == null) ? "io.lockstarter" : source.group(1).replace('/', '.'))
				.distinct()
				.toList();
			assertThat(packages).hasSizeGreaterThan(20)
				.allSatisfy((name) -> assertThat(table).contains("`" + name + "`"));
		}
	}

	@Test
	void everyPageForUsersIsInTheIndexAndInTheMenuOfTheSite() throws IOException {
		String index = Sources.read(DOCS.resolve("README.md"));
		String menu = Sources.read(Path.of("../lock-starter-site/src/site/site.xml"));
		try (Stream<Path> pages = Files.list(DOCS)) {
			assertThat(pages.map((page) -> page.getFileName().toString())
				.filter((page) -> page.endsWith(".md") && !page.equals("README.md"))).hasSizeGreaterThan(30)
				.allSatisfy((page) -> {
					assertThat(index).contains("](" + page + ")");
					assertThat(menu).contains("\"docs/" + page.replace(".md", ".html") + "\"");
				});
		}
	}

	@Test
	void pagesForUsersAreShort() throws IOException {
		assertThat(Files.readAllLines(Path.of("../README.md"))).hasSizeLessThanOrEqualTo(135);
		try (Stream<Path> pages = Files.list(DOCS)) {
			assertThat(pages.filter((page) -> page.toString().endsWith(".md")))
				.allSatisfy((page) -> assertThat(Sources.read(page).strip().split("\\s+", -1))
					.hasSizeLessThanOrEqualTo(isLookedUp(page) ? 1_800 : 1_200));
		}
	}

	@Test
	void recipesAreShort() {
		List<String> recipes = Stream.of(Sources.read(DOCS.resolve("recipes.md")).split("\n## ", -1)).skip(1).toList();
		assertThat(recipes).hasSizeGreaterThanOrEqualTo(10)
			.allSatisfy((recipe) -> assertThat(recipe.strip().split("\\s+", -1)).hasSizeLessThanOrEqualTo(300));
	}

	/**
	 * Return whether nobody reads a page from its beginning to its end.
	 */
	private static boolean isLookedUp(Path page) {
		return Stream.of("annotation.md", "programmatic-use.md", "configuration.md", "troubleshooting.md")
			.anyMatch(page::endsWith);
	}

	@ParameterizedTest
	@CsvSource({ "annotation, io.lockstarter.annotation.DistributedLock",
			"permits-and-readers, io.lockstarter.annotation.DistributedPermit",
			"jobs-and-leaders, io.lockstarter.annotation.LeaderOnly" })
	void everyAttributeIsInATable(String page, Class<?> annotation) {
		List<String> rows = Sources.read(DOCS.resolve(page + ".md"))
			.lines()
			.filter((line) -> line.startsWith("| "))
			.map((line) -> line.substring(0, line.indexOf(" | ")))
			.toList();
		assertThat(annotation.getDeclaredMethods()).allSatisfy(
				(attribute) -> assertThat(rows).anyMatch((row) -> row.contains("`" + attribute.getName() + "`")));
	}

	@Test
	void methodsThatThrowInterruptedExceptionAreNamed() {
		String page = Sources.read(DOCS.resolve("programmatic-use.md"));
		String named = page.substring(page.indexOf("If the thread is interrupted"),
				page.indexOf("throw the checked `InterruptedException`"));
		assertThat(named).isNotBlank();
		assertThat(Stream.of(LockRegistry.class, Permits.class, LeasedLock.class))
			.allSatisfy((type) -> assertThat(type.getMethods())
				.allSatisfy((method) -> assertThat(named.contains("`" + method.getName() + "`")).as("%s", method)
					.isEqualTo(throwsInterruptedException(method))));
	}

	/**
	 * Return whether the method does, or one of that name with other parameters.
	 */
	private static boolean throwsInterruptedException(Method method) {
		return Stream.of(method.getDeclaringClass().getMethods())
			.filter((other) -> other.getName().equals(method.getName()))
			.anyMatch((other) -> List.of(other.getExceptionTypes()).contains(InterruptedException.class));
	}

	@Test
	void figuresForUsersAreThoseOfTheReport() throws IOException {
		List<String> report = Files.readAllLines(DOCS.resolve("internals/benchmarks.md"));
		List<String> page = Files.readAllLines(DOCS.resolve("benchmarks.md"))
			.stream()
			.filter((line) -> line.startsWith("| ") && !line.startsWith("| |"))
			.toList();
		assertThat(page).hasSizeGreaterThan(15)
			.allSatisfy((row) -> assertThat(report).anyMatch((line) -> hasCells(line, row)));
		List<MatchResult> bars = BAR.matcher(Files.readString(DOCS.resolve("images/throughput.svg")))
			.results()
			.toList();
		assertThat(bars).hasSize(10)
			.allSatisfy((bar) -> assertThat(report)
				.anyMatch((line) -> line.startsWith("| %s | %s | ".formatted(bar.group(1), bar.group(2)))
						&& line.contains(" | %s | ".formatted(bar.group(3)))));
	}

	/**
	 * The chart has the fastest lock of each library, in each of its scenes.
	 */
	@ParameterizedTest
	@CsvSource({ "0, '## Hot key: 4 JVMs with 8 threads each, 100 µs section'", "1, '## One thread, its own key'" })
	void chartIsFairToOthers(int scene, String heading) throws IOException {
		String report = Files.readString(DOCS.resolve("internals/benchmarks.md"));
		String table = report.substring(report.indexOf(heading), report.indexOf("\n## ", report.indexOf(heading)));
		List<MatchResult> rows = RATE.matcher(table).results().toList();
		List<MatchResult> bars = BAR.matcher(Files.readString(DOCS.resolve("images/throughput.svg")))
			.results()
			.skip(scene * 5L)
			.limit(5)
			.toList();
		assertThat(Stream.of("Redisson", "Spring Integration", "Lock4j", "textbook"))
			.allSatisfy((library) -> assertThat(bars.stream().filter((bar) -> bar.group(1).startsWith(library)))
				.singleElement()
				.satisfies((bar) -> assertThat(rows.stream().filter((row) -> row.group(1).startsWith(library)))
					.isNotEmpty()
					.allSatisfy((row) -> assertThat(number(row.group(2))).isLessThanOrEqualTo(number(bar.group(2))))));
	}

	private static int number(String figure) {
		return Integer.parseInt(figure.replace(",", ""));
	}

	private static boolean hasCells(String line, String row) {
		String[] cells = row.strip().split(" ?\\| ?", -1);
		return line.startsWith("| " + cells[1] + " | ") && Stream.of(cells)
			.skip(2)
			.allMatch((cell) -> line.contains(cell.isEmpty() ? "|" : "| " + cell + " |"));
	}

	private static void checkLinks(Path page) {
		List<MatchResult> links = LINK.matcher(Sources.read(page)).results().toList();
		for (MatchResult link : links) {
			Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
			assertThat(target).as("%s in %s", link.group(), page).exists();
			if (link.group(2) != null) {
				assertThat(anchors(target)).as("%s in %s", link.group(), page).contains(link.group(2));
			}
		}
	}

	private static List<String> anchors(Path page) {
		return Sources.read(page)
			.lines()
			.filter((line) -> line.startsWith("#"))
			.map((line) -> "#" + line.replaceFirst("^#+ ", "")
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\w -]", "")
				.replace(' ', '-'))
			.toList();
	}

}
