// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.TimeoutException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser, with a second instance in a JVM of its own.
 */
@Tag("browser")
class BrowserTest {

	private static final Path SCREENSHOTS = Path.of("target", "screenshots");

	// How much longer than on an idle machine it may take: other builds may run beside.
	private static final int PATIENCE = 8;

	private static RunningShop shop;

	private static ChromeDriver browser;

	@BeforeAll
	static void start() {
		TestBrowser.assumeInstalled();
		shop = RunningShop.start("--sale.ttl=3s", "--sale.report-cron=*/2 * * * * *",
				"--logging.level.org.openqa.selenium=error");
		browser = TestBrowser.start();
	}

	@AfterAll
	static void stop() {
		if (browser != null) {
			browser.quit();
		}
		if (shop != null) {
			shop.close();
		}
	}

	@BeforeEach
	void openThePageOfTwoInstances() throws InterruptedException {
		untilNoCrowdIsLeft();
		// What the pages remember, of other tests.
		browser.get(shop.url());
		browser.executeScript("localStorage.clear(); sessionStorage.clear()");
		browser.get(shop.url());
		until(10, () -> browser.findElement(By.id("connection")).getText().equals("live"));
		try {
			// Each shows itself twice a second.
			await(2, () -> livingInstances().size() >= 2);
		}
		catch (TimeoutException ex) {
			click(By.id("start-instance"));
			until(40, () -> livingInstances().size() >= 2);
		}
	}

	@AfterEach
	void theConsoleHasNoErrors() {
		List<LogEntry> errors = browser.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			// Chromium counts each status of 400 or more. The holder changed before the
			// release.
			.filter((entry) -> !entry.getMessage().matches(".*/actuator/locks\\?key=.* 409 .*"))
			// The limit of purchases.
			.filter((entry) -> !entry.getMessage().matches(".*/orders .* 429 .*"))
			.toList();
		assertThat(errors).isEmpty();
	}

	@Test
	void theLockMakesOversellingDisappear() throws IOException {
		sendCrowd("NONE");
		until(5, () -> number("oversold") > 0 && verdict().contains("an item that never existed"));
		screenshot("without-lock", 1400, false);
		sendCrowd("LOCK");
		untilSold(100);
		assertThat(number("oversold")).isZero();
		assertThat(browser.findElement(By.id("verdict")).getText())
			.isEqualTo("@DistributedLock + transaction: 100 sold, none twice.");
		assertThat(browser.findElements(By.cssSelector("#holders tbody tr"))).isNotEmpty();
		assertThat(texts("[data-id=LOCK] .results span")).anyMatch((text) -> text.matches("2 instances: .+/s"));
		assertThat(texts("#runs tr.group")).contains("Several instances");
		screenshot("with-lock", 1400, false);
		screenshot("dark", 1400, true);
		assertThat(screenshot("phone", 390, false)).isEqualTo(390);
	}

	@Test
	void aRateSaysWhatThinkTimeItIsOfUnlessThatIsTheUsualOne() {
		type("buyers", 3);
		type("thinkMillis", 50);
		sendCrowd("COUNTER");
		assertThat(verdict()).isEqualTo("One atomic command (DECR): 3 sold, none twice.");
		assertThat(texts("[data-id=COUNTER] .results span"))
			.anyMatch((text) -> text.matches("2 instances, think 50 ms: [\\d.,]+/s"));
		assertThat(lastCell("think")).isEqualTo("50 ms");
		assertThat(browser.executeAsyncScript("""
				const done = arguments[arguments.length - 1];
				import('/format.js').then(({ plural }) => [0, 1, 2].map((count) => plural(count, 'buyer')))
				  .then(done, (failure) => done(String(failure)));"""))
			.isEqualTo(List.of("0 buyers", "1 buyer", "2 buyers"));
	}

	private static void type(String field, int value) {
		browser.findElement(By.name(field)).clear();
		browser.findElement(By.name(field)).sendKeys(String.valueOf(value));
	}

	@Test
	void whatIsNeededIsInViewAndFits() {
		// Whatever the results of many crowds.
		browser.executeScript(
				"""
						document.querySelectorAll('#protections .results').forEach((list) => {
						  list.innerHTML = '<span class="result good">crashed, think 1000 ms: late write refused</span>'.repeat(3)
						    + '<span class="result good">2 instances: 49/s</span>'.repeat(3);
						});""");
		choose("FENCE");
		withSize(1400, 900, () -> {
			assertThat(bottom("#launch")).isLessThanOrEqualTo(900);
			assertThat(texts("#protections .result")).hasSizeGreaterThan(20);
			assertThat(cutResults()).isEmpty();
			assertThat(bottom("#protections")).isLessThanOrEqualTo(edge(".launch", "top"));
			assertThat(contrastOfBorders("form input[type=number]")).isNotEmpty().allMatch((ratio) -> ratio >= 3);
			assertThat(display("#runs thead")).isEqualTo("table-header-group");
		});
		withSize(390, 844, () -> {
			// The charts follow when the page has a moment.
			until(5, () -> pageWidth() == 390);
			assertThat(display("#runs tbody")).isEqualTo("block");
			until(5, () -> browser.findElement(By.id("results")).getDomAttribute("open") == null);
		});
		browser.get(shop.url() + "/locks.html");
		withSize(1400, 900, () -> assertThat(contrastOfBorders("#filter input, #filter select")).hasSize(3)
			.allMatch((ratio) -> ratio >= 3));
	}

	@Test
	void aHistoryKeepsItsNewestLinesHoweverManyComeAndSaysWhenItIsEmpty() {
		Object shown = browser.executeAsyncScript(
				"""
						const done = arguments[arguments.length - 1];
						import('/history.js').then(({ History }) => {
						  const list = document.createElement('ul');
						  list.innerHTML = '<li class="empty">Nothing yet</li>';
						  const history = new History(list, sessionStorage, 'limited', 2);
						  const shown = () => [...list.querySelectorAll('li:not([hidden])')].map((item) => item.lastChild.textContent);
						  const all = [shown()];
						  for (const line of ['a', 'b', 'c', 'd']) {
						    history.tell({ parts: [line] });
						    all.push(shown());
						  }
						  history.clear();
						  all.push(shown());
						  return all;
						}).then(done, (failure) => done(String(failure)));
						""");
		assertThat(shown).isEqualTo(List.of(List.of("Nothing yet"), List.of("a"), List.of("b", "a"), List.of("c", "b"),
				List.of("d", "c"), List.of("Nothing yet")));
	}

	@Test
	@Tag("proof")
	void anotherInstanceTakesOverFromOneThatCrashed() throws IOException {
		choose("LOCK");
		mishap("CRASH");
		// Before the page forgets the instance.
		until(25, () -> browser.findElements(By.cssSelector(".instance.ended")).size() == 1);
		String takeOver = story("took over after", 25);
		String crash = story("crashed while it held the lock", 0);
		assertThat(token(takeOver)).isGreaterThan(token(crash));
		untilNoCrowd();
		assertThat(number("oversold")).isZero();
		assertThat(lastRun("mishap")).isEqualTo("crashed");
		assertThat(lastRun("instances")).isEqualTo("2");
		assertThat(texts("[data-id=LOCK] .results span")).anyMatch((text) -> text.startsWith("crashed: "));
		// Buyers of the instance that crashed have no answer, the holder for one.
		String failed = lastCell("failed");
		assertThat(failed).matches("[1-9]\\d*");
		until(5, () -> verdict().matches(
				"@DistributedLock \\+ transaction: 100 sold, none twice\\. %s buyers? got no lock in time, no answer, or an error\\."
					.formatted(failed)));
		screenshot("flash-sale", 1400, false);
	}

	/**
	 * What the guide says of a holder that is paused is what the page says.
	 */
	@ParameterizedTest
	@Tag("proof")
	@CsvSource({ "LOCK_ONLY, LockOnlyShop, false", "LOCK, LockedShop, true", "FENCE, FencedShop, true" })
	void aHolderThatWasPausedWritesLate(String protection, String shopClass, boolean refused) throws IOException {
		String told = guide(shopClass);
		choose(protection);
		mishap("PAUSE");
		String takeOver = story("took over after", 25);
		String end = story(told, 25);
		assertThat(end).contains("woke up: the purchase of http-");
		assertThat(firstToken(end)).isLessThan(token(takeOver));
		untilNoCrowd();
		assertThat(lastRun("mishap")).isEqualTo("paused");
		if (refused) {
			untilSold(100);
			assertThat(number("oversold")).isZero();
			assertThat(verdict()).contains("100 sold, none twice. 1 late ").endsWith(told.replace("was ", "") + ".");
		}
		else {
			until(5, () -> number("oversold") > 0 && verdict()
				.matches(".*: %d buyers? got an item that never existed.*".formatted(number("oversold"))));
		}
		screenshot("pause-" + protection, 1400, false);
		browser.navigate().refresh();
		until(10, () -> findStory(told).isPresent());
		assertThat(findStory("took over after")).as("after a reload").isPresent();
	}

	/**
	 * Return the words in bold of what the guide says of a shop under a pause.
	 */
	private static String guide(String shopClass) throws IOException {
		List<String> rows = Files.readAllLines(Path.of("README.md"))
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith("| `" + shopClass + "` |"))
			.toList();
		assertThat(rows).hasSize(1);
		return rows.get(0).replaceAll(".*\\*\\*(.+)\\*\\*.*", "$1");
	}

	@Test
	void thePageOfTheLocksShowsAllInstancesAndReleasesByForce() throws IOException, InterruptedException {
		choose("FENCE");
		type("thinkMillis", 1000);
		// They are to be there for as long as all that follows takes on a loaded machine.
		type("buyers", 28);
		click(By.id("launch"));
		until(10, () -> number("waiting-count") > 0);
		// The crowd has a lock of its own, which is none of the shop's.
		assertThat(shop.bean(LockRegistry.class).obtain("stage:crowd").isLocked()).isTrue();
		browser.get(shop.url() + "/locks.html");
		By row = By.cssSelector("#locks [data-key='stock:10100101']");
		until(20, () -> browser.findElement(row).findElement(By.cssSelector("td.token")).getText().matches("\\d+")
				&& browser.findElements(By.cssSelector("#locks [data-key='stock:10100101'] .pill")).size() == 2);
		// Between two holders there is none for a moment.
		until(10, () -> number("held-count") > 0 && number("waiting-count") > 0 && number("instance-count") >= 2);
		until(10,
				() -> browser.findElement(row)
					.findElements(By.tagName("meter"))
					.stream()
					.anyMatch(WebElement::isDisplayed));
		until(10, () -> rows().contains("stock:10100101"));
		assertThat(rows()).noneMatch((key) -> key.startsWith("stage:"));
		screenshot("locks", 1400, false);
		screenshot("locks-dark", 1400, true);
		assertThat(screenshot("locks-phone", 390, false)).isEqualTo(390);

		// The buyers hand their lock on faster than a loaded machine clicks.
		Lease held = shop.bean(LockRegistry.class).acquire("robbed");
		try {
			releaseByForce();
		}
		finally {
			var unused = held.releaseAsync();
		}
		browser.navigate().refresh();
		until(10, () -> browser.findElement(By.id("released")).getText().contains("robbed, held by instance "));
		click(By.id("forget"));
		assertThat(browser.findElement(By.id("released")).getText()).startsWith("Nothing yet");
	}

	@Test
	void purchaseWhoseLockIsReleasedByForceIsRefusedAndVerdictAndTilesAgree() {
		choose("LOCK");
		type("buyers", 4);
		type("atOnce", 2);
		type("thinkMillis", 2000);
		click(By.id("launch"));
		// Who sends the crowd puts the items on the shelves before, under the same lock.
		until(10, () -> number("waiting-count") > 0);
		LockInspector locks = shop.bean(LockInspector.class);
		until(20, () -> locks.forceRelease("stock:10100101", null).join());
		assertThat(story("was refused by the commit check", 25)).contains("lost its lock: the purchase of http-");
		untilNoCrowd();
		until(5, () -> verdict()
			.equals("@DistributedLock + transaction: 3 sold, none twice. 1 late commit refused by the commit check."));
		untilSold(3);
		assertThat(number("stock")).isEqualTo(97);
		assertThat(number("oversold")).isZero();
		assertThat(lastCell("refused")).isEqualTo("1 at the commit");
	}

	/**
	 * The page hears of the books and of the end of a crowd each by an event of its own.
	 */
	private static void untilSold(int orders) {
		until(5, () -> number("orders") == orders);
	}

	private static void releaseByForce() {
		By release = By.cssSelector("#locks [data-key='robbed'] .release button:enabled");
		until(10, () -> {
			browser.findElement(release).click();
			return true;
		});
		assertThat(browser.findElement(By.id("confirm-title")).getText()).contains("robbed");
		click(By.id("keep"));
		assertThat(browser.findElement(By.id("confirm")).isDisplayed()).isFalse();
		assertThat(browser.findElements(By.cssSelector("#released time"))).isEmpty();
		browser.executeScript("""
				const send = window.fetch;
				window.fetch = async (url, options) => {
				  if (options?.method === 'DELETE') {
				    const buttons = [...document.querySelectorAll('#locks .release button')];
				    window.seen = buttons.filter((b) => b.disabled && b.ariaBusy === 'true').map((b) => b.textContent);
				  }
				  return send(url, options);
				};""");
		until(10, () -> {
			browser.findElement(release).click();
			return true;
		});
		click(By.id("release"));
		until(10, () -> !browser.findElements(By.cssSelector("#released time")).isEmpty());
		assertThat(browser.executeScript("return window.seen")).isEqualTo(List.of("Releasing…"));
	}

	@Test
	void thePageOfTheLocksCountsFiltersAndSortsThemAndCutsLongKeysOff() throws InterruptedException {
		String longKey = "k".repeat(1024);
		List<Lease> leases = new ArrayList<>();
		try {
			LockRegistry registry = shop.bean(LockRegistry.class);
			for (int i = 0; i < 250; i++) {
				leases.add(registry.acquire("many:%03d".formatted(249 - i), LockOptions.defaults().withName("many")));
				// Ages are told apart by milliseconds.
				long now = System.currentTimeMillis();
				while (i >= 240 && System.currentTimeMillis() - now < 2) {
					Thread.onSpinWait();
				}
			}
			leases.add(registry.acquire(longKey, LockOptions.defaults().withName("long")));
			browser.get(shop.url() + "/locks.html");
			// The nightly report holds its lock besides, for some seconds at a time.
			until(10, () -> number("held-count") >= 251 && number("held-count") <= 254);
			long column = left("#locks th:nth-child(5)");

			browser.findElement(By.name("prefix")).sendKeys("kkk");
			until(10, () -> rows().equals(List.of(longKey)));
			assertThat(number("held-count")).isGreaterThanOrEqualTo(251);
			assertThat(left("#locks th:nth-child(5)")).isEqualTo(column);
			WebElement key = browser.findElement(By.cssSelector("#locks button.key"));
			assertThat(key.getSize().getHeight()).isLessThan(40);
			withSize(390, 844, () -> assertThat(pageWidth()).isEqualTo(390));
			withSize(1400, 900, () -> {
				assertThat(pageWidth()).isEqualTo(1400);
				assertThat(right("#locks .release button")).isLessThan(1400);
			});
			click(By.cssSelector("#locks button.key"));
			assertThat(key.getDomAttribute("aria-expanded")).isEqualTo("true");
			assertThat(key.getSize().getHeight()).isGreaterThan(40);

			browser.findElement(By.name("prefix")).clear();
			browser.findElement(By.name("prefix")).sendKeys("many:00");
			until(10, () -> rows().size() == 10);
			assertThat(rows()).isSorted();
			new Select(browser.findElement(By.name("sort"))).selectByValue("age");
			until(10, () -> "many:009".equals(rows().get(0)));
			assertThat(rows()).isSortedAccordingTo(Comparator.reverseOrder());
			assertThat(browser.findElement(By.id("shown")).getText()).startsWith("10 of 10 locks shown");
			browser.navigate().refresh();
			until(10, () -> rows().size() == 10 && "many:009".equals(rows().get(0)));
			// The page knows the names of the locks that it has listed.
			browser.findElement(By.name("prefix")).clear();
			browser.findElement(By.name("prefix")).sendKeys("kkk");
			until(10, () -> browser.findElements(By.cssSelector("[name=name] option[value=long]")).size() == 1);
			browser.findElement(By.name("prefix")).clear();
			new Select(browser.findElement(By.name("name"))).selectByValue("long");
			until(10, () -> rows().equals(List.of(longKey)));
		}
		finally {
			leases.forEach(Lease::close);
			browser.executeScript("sessionStorage.clear()");
		}
	}

	@SuppressWarnings("unchecked")
	private static List<String> rows() {
		return (List<String>) browser.executeScript(
				"return [...document.querySelectorAll('#locks tr[data-key]')].map((row) => row.dataset.key)");
	}

	@SuppressWarnings("unchecked")
	private static List<String> texts(String selector) {
		return (List<String>) browser.executeScript(
				"return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector);
	}

	private static String verdict() {
		return browser.findElement(By.id("verdict")).getText();
	}

	/**
	 * Return the results that are shown in part, but for one that has a line for itself
	 * and ends with dots.
	 */
	@SuppressWarnings("unchecked")
	private static List<String> cutResults() {
		return (List<String>) Objects.requireNonNull(browser.executeScript("""
				return [...document.querySelectorAll('#protections .result')].filter((result) => {
				  const line = result.parentElement.getBoundingClientRect();
				  const { top, bottom, right } = result.getBoundingClientRect();
				  const shown = top < line.bottom - 1;
				  return shown && (bottom > line.bottom + 1 || right > line.right + 1);
				}).map((result) => result.textContent);"""));
	}

	private static String display(String selector) {
		return browser.findElement(By.cssSelector(selector)).getCssValue("display");
	}

	private static long left(String selector) {
		return edge(selector, "left");
	}

	private static long right(String selector) {
		return edge(selector, "right");
	}

	private static long bottom(String selector) {
		return edge(selector, "bottom");
	}

	private static long edge(String selector, String edge) {
		return (Long) Objects.requireNonNull(browser.executeScript(
				"return Math.ceil(document.querySelector(arguments[0]).getBoundingClientRect()[arguments[1]])",
				selector, edge));
	}

	/**
	 * Return the contrast between the border of each input and what is inside of it, as
	 * WCAG defines it.
	 */
	@SuppressWarnings("unchecked")
	private static List<Double> contrastOfBorders(String selector) {
		return ((List<Number>) Objects.requireNonNull(browser.executeScript("""
				const luminance = (colour) => {
				  const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((c) => c / 255)
				    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
				  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
				};
				const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
				return [...document.querySelectorAll(arguments[0])].map((node) => {
				  const style = getComputedStyle(node);
				  return contrast(luminance(style.borderTopColor), luminance(style.backgroundColor)) + 1e-9;
				});""", selector))).stream().map(Number::doubleValue).toList();
	}

	private static void withSize(int width, int height, Runnable checks) {
		browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
		browser.executeScript("scrollTo(0, 0)");
		try {
			checks.run();
		}
		finally {
			browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
		}
	}

	private static long pageWidth() {
		return (Long) Objects.requireNonNull(browser.executeScript("return document.documentElement.scrollWidth"));
	}

	@Test
	@Tag("proof")
	void theSmallExamplesShowWhatTheyDo() {
		click(By.id("build-menu"));
		until(5, () -> browser.findElement(By.id("menu")).getText().contains("held 4×"));
		click(By.id("send-invoices"));
		until(10, () -> browser.findElements(By.cssSelector("#invoices li")).size() == 2);
		click(By.id("pay"));
		until(10, () -> browser.findElements(By.cssSelector("#payments li")).size() == 5);
		assertThat(browser.findElement(By.id("payments")).getText()).contains("permit:payments:0: ");
		assertThat(texts("#payments li, #invoices li")).hasSize(7).allSatisfy(BrowserTest::tellsTimes);
		click(By.id("read-prices"));
		until(10, () -> browser.findElements(By.cssSelector("#prices li")).size() >= 2);
		assertThat(browser.findElement(By.id("prices")).getText()).containsSubsequence(" readers together: ",
				"one writer, alone: ");
		assertThat(texts("#prices li")).allSatisfy(BrowserTest::tellsTimes);
		click(By.id("buy-often"));
		until(20, () -> browser.findElement(By.id("limit")).getText().matches("20 × 200, 5 × 429, next one in \\d+ s"));
		until(15, () -> browser.findElement(By.id("reports")).getText().contains(" orders"));
		click(By.cssSelector("[data-id=LOCK] button"));
		until(5, () -> browser.findElement(By.cssSelector("#source code")).getText().contains("@DistributedLock("));
		click(By.id("close-source"));
	}

	/**
	 * The list of turns in a line ends no turn before it began, and says when that was.
	 */
	private static void tellsTimes(String line) {
		Matcher turns = Pattern.compile("(\\d\\d:\\d\\d:\\d\\d\\.\\d{3}) to (\\d\\d:\\d\\d:\\d\\d\\.\\d{3})")
			.matcher(line);
		assertThat(turns.results()).as(line).isNotEmpty().allSatisfy((turn) -> {
			long took = Duration.between(LocalTime.parse(turn.group(1)), LocalTime.parse(turn.group(2))).toMillis();
			// Over midnight it is negative.
			assertThat(Math.floorMod(took, Duration.ofDays(1).toMillis())).isBetween(1L, 60_000L);
		});
	}

	@Test
	void theKeyboardIsEnough() {
		browser.findElement(By.id("protection-NONE")).sendKeys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.TAB);
		assertThat(browser.findElement(By.id("protection-COUNTER")).isSelected()).isTrue();
		int before = browser.findElements(By.cssSelector("#runs tr[data-id]")).size();
		browser.findElement(By.name("buyers")).sendKeys(Keys.ENTER);
		until(30, () -> browser.findElements(By.cssSelector("#runs tr[data-id]")).size() > before);
		assertThat(browser.findElement(By.id("verdict")).getText()).startsWith("One atomic command (DECR): 100 sold");
		WebElement timeline = browser.findElement(By.id("timeline"));
		timeline.sendKeys("+", Keys.ARROW_RIGHT, "-");
		click(By.cssSelector("[data-id=SCRIPT] button"));
		until(5, () -> browser.findElement(By.id("source")).isDisplayed());
		browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
		until(5, () -> !browser.findElement(By.id("source")).isDisplayed());
	}

	private static void sendCrowd(String protection) {
		choose(protection);
		int before = browser.findElements(By.cssSelector("#runs tr[data-id]")).size();
		click(By.id("launch"));
		until(30, () -> browser.findElements(By.cssSelector("#runs tr[data-id]")).size() > before);
		// What it shows of the books is a moment behind.
		until(5, () -> Math.abs(number("stock") + number("orders")) >= 100);
		until(5, () -> String.valueOf(number("oversold")).equals(lastRun("oversold")));
	}

	private static String lastRun(String name) {
		return (String) Objects.requireNonNull(browser.executeScript("""
				const rows = [...document.querySelectorAll('#runs tr[data-id]')];
				return rows.sort((a, b) => b.dataset.id - a.dataset.id)[0].dataset[arguments[0]];""", name));
	}

	private static String lastCell(String column) {
		return (String) Objects.requireNonNull(browser.executeScript("""
				const rows = [...document.querySelectorAll('#runs tr[data-id]')];
				return rows.sort((a, b) => b.dataset.id - a.dataset.id)[0]
				  .querySelector(`[data-label="${arguments[0]}"]`).textContent;""", column));
	}

	private static void choose(String protection) {
		click(By.id("protection-" + protection));
	}

	private static void click(By what) {
		WebElement element = browser.findElement(what);
		// Selenium would leave it under the launch button, which stays in view.
		browser.executeScript("arguments[0].scrollIntoView({ block: 'center' })", element);
		element.click();
	}

	private static void mishap(String kind) {
		By button = By.cssSelector("[data-mishap=%s]:enabled".formatted(kind));
		until(10, () -> !browser.findElements(button).isEmpty());
		click(button);
	}

	/**
	 * The crowd of another test would be told of as this one's: who crashes as its last
	 * buyer is followed by nobody.
	 */
	private static void untilNoCrowdIsLeft() throws InterruptedException {
		shop.bean(LockRegistry.class)
			.acquire("stage:crowd", LockOptions.defaults().withWaitTime(Duration.ofSeconds(PATIENCE * 30)))
			.close();
	}

	private static void untilNoCrowd() {
		until(30, () -> browser.findElement(By.id("launch")).isEnabled());
	}

	private static List<WebElement> livingInstances() {
		return browser.findElements(By.cssSelector(".instance:not(.ended)"));
	}

	private static String story(String words, int seconds) {
		until(seconds, () -> findStory(words).isPresent());
		return findStory(words).orElseThrow();
	}

	@SuppressWarnings("unchecked")
	private static Optional<String> findStory(String words) {
		// In one go: lines come and go while they are looked at.
		List<String> lines = (List<String>) browser
			.executeScript("return [...document.querySelectorAll('#story li')].map((line) => line.innerText)");
		return lines.stream().filter((text) -> text.contains(words)).findFirst();
	}

	private static long token(String story) {
		return Long.parseLong(story.replaceAll("(?s).*token (\\d+).*", "$1"));
	}

	private static long firstToken(String story) {
		return Long.parseLong(story.replaceAll("(?s).*old token (\\d+).*", "$1"));
	}

	private static int number(String id) {
		String text = browser.findElement(By.id(id)).getText().replace(",", "");
		return text.matches("-?\\d+") ? Integer.parseInt(text) : 0;
	}

	private static void until(int seconds, Condition condition) {
		await(PATIENCE * seconds, condition);
	}

	private static void await(int seconds, Condition condition) {
		new WebDriverWait(browser, Duration.ofSeconds(seconds), Duration.ofMillis(100))
			.ignoring(StaleElementReferenceException.class, NoSuchElementException.class)
			.until((driver) -> condition.holds());
	}

	/**
	 * Take a screenshot.
	 * @return how wide the page is, which is more than asked for if it does not fit
	 */
	private static long screenshot(String name, int width, boolean dark) throws IOException {
		browser.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
		browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height(name), "deviceScaleFactor", 1, "mobile", width < 600));
		browser.executeScript("scrollTo(0, 0)");
		Files.createDirectories(SCREENSHOTS);
		Files.write(SCREENSHOTS.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
		long pageWidth = pageWidth();
		browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
		browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
		return pageWidth;
	}

	private static int height(String name) {
		return name.startsWith("locks") ? 680 : 1040;
	}

	private interface Condition {

		boolean holds();

	}

}
