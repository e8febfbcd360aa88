// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.File;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The Chromium of the tests in a browser.
 */
final class TestBrowser {

	private TestBrowser() {
	}

	static void assumeInstalled() {
		assumeTrue(chromium().isPresent() && driver().isPresent(),
				"Skipped: no chromium or no chromedriver on the PATH (Debian: chromium and chromium-driver)");
	}

	static ChromeDriver start() {
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(chromium().orElseThrow());
		options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--disable-background-networking", "--no-first-run", "--hide-scrollbars", "--disable-quic",
				"--disable-component-update", "--disable-sync", "--window-size=1400,1040");
		// With its path given, Selenium neither searches a driver nor downloads one.
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(driver().orElseThrow())
			.build();
		return new ChromeDriver(service, options);
	}

	private static Optional<File> chromium() {
		return onPath("chromium", "chromium-browser", "google-chrome");
	}

	private static Optional<File> driver() {
		return onPath("chromedriver");
	}

	private static Optional<File> onPath(String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
				.map((directory) -> new File(directory, name)))
			.filter(File::canExecute)
			.findFirst();
	}

}
