package io.lockstarter.sample;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A crowd that buys from two instances, which share the Redis of the first.
 */
class TwoInstancesTest {

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	private final Crowd crowd = new Crowd(port(first), port(second));

	@BeforeAll
	static void start() {
		first = instance();
		second = instance("--spring.data.redis.url=" + first.getEnvironment().getProperty("spring.data.redis.url"));
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
	}

	@BeforeEach
	void reset() {
		assertThat(this.crowd.reset().statusCode()).isEqualTo(200);
	}

	@Test
	void withTheLockEveryItemIsSoldOnceByWhicheverInstance() {
		assertThat(this.crowd.buy(150, "buy")).isEqualTo(Map.of(200, 100L, 409, 50L));
		String sale = "{\"productId\":10100101,\"stock\":0,\"orders\":100,\"oversold\":0}";
		assertThat(this.crowd.sale(port(first)).body()).isEqualTo(sale);
		assertThat(this.crowd.sale(port(second)).body()).isEqualTo(sale);
	}

	@Test
	void withoutTheLockMoreIsSoldThanThereIs() {
		this.crowd.buy(150, "buy-unlocked");
		assertThat(first.getBean(Warehouse.class).sale(Crowd.PRODUCT).oversold()).isPositive();
	}

	private static ConfigurableApplicationContext instance(String... args) {
		return new SpringApplicationBuilder(SampleApplication.class).initializers(new EmbeddedRedisInitializer())
			.run(StringUtils.concatenateStringArrays(args,
					new String[] { "--server.port=0", "--sale.think-time=10ms" }));
	}

	private static int port(ConfigurableApplicationContext context) {
		return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

}
