// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockstarter.sample.local.LocalServicesInitializer;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
import org.springframework.web.client.RestClient;

import static org.awaitility.Awaitility.await;

/**
 * An instance of the shop in this JVM, and what a page would ask of it.
 */
public final class RunningShop implements AutoCloseable {

	private static final String[] TEST_SETTINGS = { "--server.port=0",
			"--sale.invitation=target/invitation/sale.properties" };

	private final ConfigurableApplicationContext context;

	private final RestClient client;

	private RunningShop(String... args) {
		this.context = new SpringApplicationBuilder(SampleApplication.class)
			.initializers(new LocalServicesInitializer())
			.run(StringUtils.concatenateStringArrays(TEST_SETTINGS, args));
		this.client = RestClient.create(url());
	}

	public static RunningShop start(String... args) {
		return new RunningShop(args);
	}

	/**
	 * Start another instance on the Redis and the database of this one.
	 */
	public RunningShop startAnother() {
		return new RunningShop(inherit("spring.data.redis.url"), inherit("spring.datasource.url"),
				inherit("sale.report-cron"));
	}

	private String inherit(String property) {
		return "--%s=%s".formatted(property, this.context.getEnvironment().getRequiredProperty(property));
	}

	public String url() {
		return "http://127.0.0.1:" + this.context.getEnvironment().getRequiredProperty("local.server.port");
	}

	public RestClient client() {
		return this.client;
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Send a crowd of 130 to the 100 items and wait for its result.
	 */
	public Map<String, Object> crowd(String protection) {
		return crowd(protection, 5);
	}

	/**
	 * Send a crowd of 130 to the 100 items and wait for its result.
	 */
	public Map<String, Object> crowd(String protection, int thinkMillis) {
		int before = results().size();
		this.client.post()
			.uri("/stage/crowds")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("protection", protection, "buyers", 130, "atOnce", 16, "thinkMillis", thinkMillis))
			.retrieve()
			.toBodilessEntity();
		return await().atMost(Duration.ofSeconds(60)).until(this::results, (all) -> all.size() > before).get(before);
	}

	/**
	 * Return the results of the crowds so far, of all instances.
	 */
	public List<Map<String, Object>> results() {
		return this.client.get()
			.uri("/stage/crowds")
			.retrieve()
			.requiredBody(new ParameterizedTypeReference<List<Map<String, Object>>>() {
			});
	}

	@Override
	public void close() {
		this.context.close();
	}

}
