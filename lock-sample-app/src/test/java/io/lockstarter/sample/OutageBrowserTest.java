// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.logging.Level;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both pages while Redis is away, and after it came back, and when their shop is gone.
 */
@Tag("browser")
class OutageBrowserTest {

	private static final String WHY = "Redis cannot be reached. Purchases and locks fail until it is back, "
			+ "and the instances do not hear of each other. The page goes on by itself then.";

	private static FragileRedis redis;

	private static RunningShop shop;

	private static ChromeDriver browser;

	@BeforeAll
	static void start() throws IOException {
		TestBrowser.assumeInstalled();
		redis = new FragileRedis();
		shop = RunningShop.start("--spring.data.redis.url=" + redis.url(), "--sale.report-cron=-",
				"--logging.level.org.openqa.selenium=error");
		browser = TestBrowser.start();
	}

	@AfterAll
	static void stop() throws IOException {
		if (browser != null) {
			browser.quit();
		}
		if (shop != null) {
			shop.close();
		}
		if (redis != null) {
			redis.close();
		}
	}

	@Test
	void theSaleSaysThatRedisIsAwayAndGoesOnWhenItIsBack() throws IOException {
		browser.get(shop.url());
		until(() -> text("connection").equals("live") && state().startsWith("port "));
		assertThat(text("outage")).isEmpty();

		redis.kill();
		until(() -> text("connection").equals("no Redis"));
		assertThat(text("outage")).isEqualTo(WHY);
		assertThat(text("stock")).as("from the database").isEqualTo("100");
		until(() -> text("lock-state").equals("lock unknown"));
		assertThat(text("waiting-count")).isEqualTo("–");
		assertThat(state()).isEqualTo("unknown: nothing is heard of it");
		assertThat(browser.executeScript("return document.querySelectorAll('.instance.gone, .lonely').length"))
			.isEqualTo(0L);
		for (String id : List.of("launch", "start-instance", "build-menu", "send-invoices", "pay", "buy-often")) {
			assertThat(disabled(id)).as(id).isTrue();
			assertThat(property(id, "title")).as(id).isEqualTo(WHY);
		}
		fits("outage");

		redis.startAgain();
		until(() -> text("connection").equals("live") && state().startsWith("port "));
		assertThat(text("outage")).isEmpty();
		assertThat(text("lock-state")).isEqualTo("lock free");
		assertThat(disabled("launch")).isFalse();

		redis.kill();
		until(() -> text("connection").equals("no Redis"));
		redis.startAgainEmpty();
		until(() -> text("connection").equals("live"));
		browser.executeScript("document.getElementById('launch').click()");
		until(() -> text("verdict").startsWith("No protection: "));
		theConsoleHasNoErrors();
	}

	@Test
	void theLocksSayThatRedisIsAwayAndGoOnWhenItIsBack() throws IOException {
		browser.get(shop.url() + "/locks.html");
		until(() -> text("connection").equals("live") && text("instance-count").equals("1"));
		redis.kill();
		until(() -> text("connection").equals("no Redis"));
		assertThat(text("outage")).isEqualTo(WHY);
		assertThat(text("instance-count")).as("marked as old").isEqualTo("1");
		assertThat(browser.executeScript("return getComputedStyle(document.getElementById('held-count')).opacity"))
			.isEqualTo("0.4");
		fits("locks-outage");
		redis.startAgainEmpty();
		until(() -> text("connection").equals("live") && text("shown").startsWith("0 of 0 locks"));
		assertThat(text("outage")).isEmpty();
		theConsoleHasNoErrors();
	}

	@Test
	void bothPagesSayThatTheirShopIsGone() throws IOException {
		for (String page : List.of("/index.html", "/locks.html")) {
			try (RunningShop another = shop.startAnother()) {
				browser.get(another.url() + page);
				until(() -> text("connection").equals("live"));
			}
			until(() -> text("connection").equals("no connection"));
			assertThat(text("outage")).startsWith("The shop does not answer: the figures are old.");
			fits("gone" + page.replaceAll("\\W", "-"));
		}
		theConsoleHasNoErrors();
	}

	/**
	 * No page is wider than the screen, and nothing in it is cut off.
	 */
	private static void fits(String name) throws IOException {
		for (int width : List.of(1400, 390)) {
			browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
					Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", width < 600));
			browser.executeScript("scrollTo(0, 0)");
			Path screenshot = Path.of("target", "screenshots", "%s-%d.png".formatted(name, width));
			Files.createDirectories(Objects.requireNonNull(screenshot.getParent()));
			Files.write(screenshot, browser.getScreenshotAs(OutputType.BYTES));
			assertThat(browser.executeScript("return document.documentElement.scrollWidth")).isEqualTo((long) width);
			assertThat(browser.executeScript("""
					return [...document.querySelectorAll('.pill, .value, .outage, .state, button:not(.key)')]
					  .filter((node) => node.offsetParent && (node.getBoundingClientRect().right > innerWidth
					    || node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline'))
					  .map((node) => node.textContent)""")).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
			browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
		}
	}

	/**
	 * A browser itself logs each request that fails; our scripts must not fail.
	 */
	private static void theConsoleHasNoErrors() {
		assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
			.filteredOn((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue()
					&& !entry.getMessage().contains("Failed to load resource"))
			.isEmpty();
	}

	private static String text(String id) {
		return property(id, "textContent");
	}

	private static String property(String id, String name) {
		return String
			.valueOf(browser.executeScript("return document.getElementById(arguments[0])[arguments[1]]", id, name));
	}

	private static boolean disabled(String id) {
		return Boolean.parseBoolean(property(id, "disabled"));
	}

	private static String state() {
		return String.valueOf(browser.executeScript("return document.querySelector('.instance .state')?.textContent"));
	}

	private static void until(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100)).until(condition);
	}

}
