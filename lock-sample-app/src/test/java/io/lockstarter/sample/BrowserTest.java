/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.TimeoutException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
		Optional<File> chromium = onPath("chromium", "chromium-browser", "google-chrome");
		Optional<File> driver = onPath("chromedriver");
		assumeTrue(chromium.isPresent() && driver.isPresent(),
				"Skipped: no chromium or no chromedriver on the PATH (Debian: chromium and chromium-driver)");
		shop = RunningShop.start("--sale.ttl=3s", "--sale.report-cron=*/2 * * * * *",
				"--logging.level.org.openqa.selenium=error");
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(chromium.get());
		options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--disable-background-networking", "--no-first-run", "--hide-scrollbars", "--window-size=1360,900");
		// With its path given, Selenium neither searches a driver nor downloads one.
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(driver.get()).build();
		browser = new ChromeDriver(service, options);
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
			.toList();
		assertThat(errors).isEmpty();
	}

	@Test
	void theLockMakesOversellingDisappear() throws IOException {
		sendCrowd("NONE");
		assertThat(number("oversold")).isPositive();
		assertThat(browser.findElement(By.id("verdict")).getText()).contains("an item that never existed");
		screenshot("without-lock", 1360, false);
		sendCrowd("LOCK");
		assertThat(number("oversold")).isZero();
		assertThat(number("orders")).isEqualTo(100);
		assertThat(browser.findElement(By.id("verdict")).getText())
			.isEqualTo("@DistributedLock: 100 sold, none twice.");
		assertThat(browser.findElements(By.cssSelector("#holders tbody tr"))).isNotEmpty();
		screenshot("with-lock", 1360, false);
		screenshot("dark", 1360, true);
		assertThat(screenshot("phone", 390, false)).isEqualTo(390);
	}

	@Test
	void anotherInstanceTakesOverFromOneThatCrashed() throws IOException {
		choose("LOCK");
		mishap("CRASH");
		String takeOver = story("took over after", 25);
		String crash = story("crashed while it held the lock", 0);
		assertThat(token(takeOver)).isGreaterThan(token(crash));
		untilNoCrowd();
		assertThat(number("oversold")).isZero();
		assertThat(browser.findElements(By.cssSelector(".instance.ended"))).hasSize(1);
		screenshot("crash", 1360, false);
	}

	@Test
	void theLateWriteOfAHolderThatWasPausedIsRefused() throws IOException {
		choose("FENCE");
		mishap("PAUSE");
		String takeOver = story("took over after", 25);
		String refused = story("refused by the fence", 25);
		assertThat(token(refused)).isLessThan(token(takeOver));
		untilNoCrowd();
		assertThat(number("oversold")).isZero();
		assertThat(number("orders")).isEqualTo(100);
		screenshot("pause", 1360, false);
	}

	@Test
	void thePageOfTheLocksShowsAllInstancesAndReleasesByForce() throws IOException {
		choose("FENCE");
		browser.findElement(By.name("thinkMillis")).clear();
		browser.findElement(By.name("thinkMillis")).sendKeys("1000");
		browser.findElement(By.name("buyers")).clear();
		browser.findElement(By.name("buyers")).sendKeys("16");
		click(By.id("launch"));
		until(10, () -> number("waiting-count") > 0);
		browser.get(shop.url() + "/locks.html");
		By row = By.cssSelector("#locks [data-key='stock:10100101']");
		until(20, () -> browser.findElement(row).findElement(By.cssSelector("td.token")).getText().matches("\\d+")
				&& browser.findElements(By.cssSelector("#locks [data-key='stock:10100101'] .pill")).size() == 2);
		assertThat(number("held-count")).isPositive();
		assertThat(number("waiting-count")).isPositive();
		assertThat(number("instance-count")).isGreaterThanOrEqualTo(2);
		assertThat(browser.findElement(row).findElement(By.tagName("meter")).isDisplayed()).isTrue();
		screenshot("locks", 1360, false);
		screenshot("locks-dark", 1360, true);
		assertThat(screenshot("locks-phone", 390, false)).isEqualTo(390);

		click(By.cssSelector("#locks [data-key='stock:10100101'] button"));
		until(5, () -> browser.findElement(By.id("confirm")).isDisplayed());
		assertThat(browser.findElement(By.id("confirm-title")).getText()).contains("stock:10100101");
		click(By.id("keep"));
		assertThat(browser.findElement(By.id("confirm")).isDisplayed()).isFalse();
		assertThat(browser.findElements(By.cssSelector("#released time"))).isEmpty();
		// The holder changes each second, and only the one that was shown may be robbed.
		until(30, () -> {
			if (!browser.findElements(By.cssSelector("#locks [data-key='stock:10100101'] button:enabled")).isEmpty()) {
				click(By.cssSelector("#locks [data-key='stock:10100101'] button"));
				click(By.id("release"));
			}
			return !browser.findElements(By.cssSelector("#released time")).isEmpty();
		});
		assertThat(browser.findElement(By.id("released")).getText()).contains("stock:10100101, held by instance ");
	}

	@Test
	void theSmallExamplesShowWhatTheyDo() {
		click(By.id("build-menu"));
		until(5, () -> browser.findElement(By.id("menu")).getText().contains("held 4×"));
		click(By.id("send-invoices"));
		until(10, () -> browser.findElements(By.cssSelector("#invoices li")).size() == 2);
		until(15, () -> browser.findElement(By.id("reports")).getText().contains(" orders"));
		click(By.cssSelector("[data-id=LOCK] button"));
		until(5, () -> browser.findElement(By.cssSelector("#source code")).getText().contains("@DistributedLock("));
		click(By.id("close-source"));
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
		until(5, () -> String.valueOf(number("oversold"))
			.equals(browser.findElement(By.cssSelector("#runs tr[data-id]")).getDomAttribute("data-oversold")));
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
			.acquire("crowd", LockOptions.defaults().withWaitTime(Duration.ofSeconds(PATIENCE * 30)))
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

	private static int number(String id) {
		String text = browser.findElement(By.id(id)).getText();
		return text.matches("-?\\d+") ? Integer.parseInt(text) : 0;
	}

	private static void until(int seconds, Condition condition) {
		await(PATIENCE * seconds, condition);
	}

	private static void await(int seconds, Condition condition) {
		new WebDriverWait(browser, Duration.ofSeconds(seconds), Duration.ofMillis(100))
			.ignoring(StaleElementReferenceException.class)
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
				Map.of("width", width, "height", 1240, "deviceScaleFactor", 1, "mobile", width < 600));
		browser.executeScript("scrollTo(0, 0)");
		Files.createDirectories(SCREENSHOTS);
		Files.write(SCREENSHOTS.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
		long pageWidth = (Long) browser.executeScript("return document.documentElement.scrollWidth");
		browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
		browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
		return pageWidth;
	}

	private static Optional<File> onPath(String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
				.map((directory) -> new File(directory, name)))
			.filter(File::canExecute)
			.findFirst();
	}

	private interface Condition {

		boolean holds();

	}

}
