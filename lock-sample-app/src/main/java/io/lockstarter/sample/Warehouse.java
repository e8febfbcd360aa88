package io.lockstarter.sample;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * The books, in Redis: {@code sale:<id>:stock} says how many items of a product are left,
 * {@code sale:<id>:sold} how many orders were taken.
 */
@Component
class Warehouse {

	private final StringRedisTemplate redis;

	private final SaleProperties properties;

	Warehouse(StringRedisTemplate redis, SaleProperties properties) {
		this.redis = redis;
		this.properties = properties;
	}

	/**
	 * Sell one item the careless way: what others sell between the read and the write is
	 * overwritten. Right only while one caller at a time is here.
	 */
	Order sellOne(long productId) {
		int stock = read(productId, "stock", this.properties.stock());
		if (stock <= 0) {
			throw new SoldOutException(productId);
		}
		think();
		this.redis.opsForValue().set(key(productId, "stock"), String.valueOf(stock - 1));
		Long number = this.redis.opsForValue().increment(key(productId, "sold"));
		return new Order(productId, (number != null) ? number : 0);
	}

	void restock(long productId) {
		this.redis.opsForValue().set(key(productId, "stock"), String.valueOf(this.properties.stock()));
		this.redis.delete(key(productId, "sold"));
	}

	Sale sale(long productId) {
		int orders = read(productId, "sold", 0);
		int stock = read(productId, "stock", this.properties.stock());
		return new Sale(productId, stock, orders, Math.max(0, orders - this.properties.stock()));
	}

	private int read(long productId, String name, int unknown) {
		String value = this.redis.opsForValue().get(key(productId, name));
		return (value != null) ? Integer.parseInt(value) : unknown;
	}

	private void think() {
		try {
			Thread.sleep(this.properties.thinkTime().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while selling", ex);
		}
	}

	private static String key(long productId, String name) {
		return "sale:%d:%s".formatted(productId, name);
	}

}
