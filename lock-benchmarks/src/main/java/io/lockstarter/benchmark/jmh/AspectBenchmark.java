// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.jmh;

import java.util.concurrent.TimeUnit;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.benchmark.jmh.Shop.Customer;
import io.lockstarter.benchmark.jmh.Shop.Order;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What an annotated method costs, on locks in memory: against a proxy that only calls on,
 * and with keys from fixed to the property of a property. The difference between the last
 * two and the first is the evaluation of the key.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class AspectBenchmark {

	private final ConfigurableApplicationContext context;

	private final Shop shop;

	private final LockRegistry registry;

	private long productId;

	/**
	 * Start a service.
	 */
	public AspectBenchmark() {
		this.context = new SpringApplicationBuilder(ShopConfiguration.class).web(WebApplicationType.NONE)
			.properties("distributed-lock.store=memory", "spring.main.banner-mode=off")
			.run();
		this.shop = this.context.getBean(Shop.class);
		this.registry = this.context.getBean(LockRegistry.class);
	}

	/**
	 * Come to a product that is not interned.
	 */
	@Setup
	public void chooseProduct() {
		this.productId = 4711;
	}

	/**
	 * Stop the service.
	 */
	@TearDown
	public void stop() {
		this.context.close();
	}

	@Benchmark
	public long plainProxy() {
		return this.shop.plain(this.productId);
	}

	@Benchmark
	public long fixedKey() {
		return this.shop.fixedKey(this.productId);
	}

	@Benchmark
	public long keyOfArgument() {
		return this.shop.keyOfArgument(this.productId);
	}

	@Benchmark
	public long keyOfProperties() {
		return this.shop.keyOfProperties(new Order(this.productId, new Customer("Ada")));
	}

	@Benchmark
	public long registryCall() {
		return this.registry.<Long, RuntimeException>call("shop", LockOptions.defaults(),
				(scope) -> this.productId + 1);
	}

}
