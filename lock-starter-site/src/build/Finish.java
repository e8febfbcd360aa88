// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finishes the site that Maven has made: headings get the anchors that links between the
 * pages expect, links to files that are not in the site lead to the repository, and the
 * search gets its index. Then each link is checked. What is inside of the Javadoc is up
 * to its tool.
 */
final class Finish {

	private static final Pattern HEADING = Pattern.compile("<h([1-6])>(.*?)</h\\1>", Pattern.DOTALL);

	private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

	private static final Pattern ANCHOR = Pattern.compile(" (?:id|name)=\"([^\"]*)\"");

	private static final Pattern SECTION = Pattern.compile("<h[1-6] id=\"([^\"]*)\">(.*?)</h[1-6]>", Pattern.DOTALL);

	private static final Pattern ENTITY = Pattern.compile("&#x([0-9a-fA-F]+);");

	private final Path site;

	private final Path root;

	private final String repository;

	private final List<Path> pages;

	private final Map<Path, Set<String>> anchors = new HashMap<>();

	private final Set<String> broken = new TreeSet<>();

	private int checked;

	private Finish(Path site, Path root, String repository) throws IOException {
		this.site = site.normalize();
		this.root = root.normalize();
		this.repository = repository;
		try (Stream<Path> files = Files.walk(this.site)) {
			this.pages = files.filter((file) -> file.toString().endsWith(".html"))
				.filter((file) -> !file.startsWith(this.site.resolve("api")))
				.sorted()
				.toList();
		}
	}

	/**
	 * Finish a site.
	 * @param arguments where the site is, where the repository is, and its address
	 */
	public static void main(String[] arguments) throws IOException {
		Finish finish = new Finish(Path.of(arguments[0]), Path.of(arguments[1]), arguments[2]);
		for (Path page : finish.pages) {
			finish.rewrite(page);
		}
		finish.writeIndex();
		for (Path page : finish.pages) {
			finish.check(page);
		}
		finish.checkMenu();
		System.out.printf("%d pages, %d links to files of the site%n", finish.pages.size(), finish.checked);
		if (!finish.broken.isEmpty()) {
			finish.broken.forEach(System.err::println);
			System.exit(1);
		}
	}

	private void rewrite(Path page) throws IOException {
		String html = Files.readString(page);
		html = HEADING.matcher(html)
			.replaceAll((heading) -> Matcher.quoteReplacement("<h%s id=\"%s\">%s</h%s>".formatted(heading.group(1),
					slug(heading.group(2)), heading.group(2), heading.group(1))));
		html = html.replaceFirst("<p>@SEARCH@</p>", """
				<p><input id="query" type="search" placeholder="Words" autofocus="autofocus" /></p>
				<ul id="results"></ul>
				<script src="search-index.js"></script>
				<script src="search.js"></script>
				""");
		html = LINK.matcher(html).replaceAll((link) -> Matcher.quoteReplacement(toRepository(page, link)));
		Files.writeString(page, html);
	}

	/**
	 * Return what the pages call a heading in a link, as repositories show them.
	 */
	private static String slug(String heading) {
		return text(heading).toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
	}

	private static String text(String html) {
		return ENTITY.matcher(html.replaceAll("<[^>]*>", ""))
			.replaceAll((entity) -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(entity.group(1), 16))))
			.replace("&lt;", "<")
			.replace("&gt;", ">")
			.replace("&quot;", "\"")
			.replace("&amp;", "&")
			.replaceAll("\\s+", " ")
			.strip();
	}

	private String toRepository(Path page, MatchResult link) {
		String target = link.group(1);
		if (target.isEmpty() || target.startsWith("#") || isElsewhere(target)) {
			return link.group();
		}
		Path file = page.resolveSibling(target.replaceFirst("#.*", "")).normalize();
		Path source = this.root.resolve(this.site.relativize(file)).normalize();
		return (!Files.exists(file) && Files.exists(source))
				? link.group().replace(target, this.repository + "/blob/main/" + this.root.relativize(source))
				: link.group();
	}

	private static boolean isElsewhere(String link) {
		return link.matches("[a-z]+:.*|//.*");
	}

	/**
	 * Each entry of the index is a section of a page: its address, its title, its text.
	 */
	private void writeIndex() throws IOException {
		List<String> entries = new ArrayList<>();
		for (Path page : this.pages) {
			String html = Files.readString(page);
			html = html.substring(html.indexOf("<main"), html.indexOf("</main>"));
			String address = this.site.relativize(page).toString().replace('\\', '/');
			List<MatchResult> sections = SECTION.matcher(html).results().toList();
			for (int i = 0; i < sections.size() && !address.equals("README.html") && !address.equals("search.html"); i++) {
				MatchResult section = sections.get(i);
				int end = (i + 1 < sections.size()) ? sections.get(i + 1).start() : html.length();
				entries.add("[%s,%s,%s]".formatted(quoted(address + "#" + section.group(1)),
						quoted(title(sections, i)), quoted(text(html.substring(section.end(), end).replace("<", " <")))));
			}
		}
		Files.writeString(this.site.resolve("search-index.js"),
				"const SECTIONS = [\n" + String.join(",\n", entries) + "\n];\n");
	}

	private static String title(List<MatchResult> sections, int index) {
		String page = text(sections.get(0).group(2));
		return (index == 0) ? page : page + ": " + text(sections.get(index).group(2));
	}

	private static String quoted(String text) {
		return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

	private void check(Path page) throws IOException {
		for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
			if (!isElsewhere(link.group(1))) {
				check(page, URLDecoder.decode(link.group(1).replace("+", "%2B"), StandardCharsets.UTF_8));
			}
		}
	}

	private void check(Path page, String link) throws IOException {
		this.checked++;
		int hash = link.indexOf('#');
		String path = (hash < 0) ? link : link.substring(0, hash);
		Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
		if (!Files.isRegularFile(target)) {
			this.broken.add("%s: there is no %s".formatted(page, link));
		}
		else if (hash >= 0 && hash + 1 < link.length() && !anchors(target).contains(link.substring(hash + 1))) {
			this.broken.add("%s: there is no anchor %s".formatted(page, link));
		}
	}

	private Set<String> anchors(Path page) throws IOException {
		Set<String> known = this.anchors.get(page);
		if (known == null) {
			known = ANCHOR.matcher(Files.readString(page))
				.results()
				.map((anchor) -> anchor.group(1))
				.collect(Collectors.toSet());
			this.anchors.put(page, known);
		}
		return known;
	}

	/**
	 * The menu, which each page has, leads to every page for users.
	 */
	private void checkMenu() throws IOException {
		String home = Files.readString(this.site.resolve("index.html"));
		String menu = home.substring(home.indexOf("<nav"), home.indexOf("</nav>"));
		for (Path page : this.pages) {
			Path address = this.site.relativize(page);
			if (address.startsWith("docs") && address.getNameCount() == 2
					&& !menu.contains(address.toString().replace('\\', '/') + "\"")) {
				this.broken.add("%s is not in the menu, src/site/site.xml".formatted(page));
			}
		}
	}

}
