// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.util.Objects;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/**
 * Stock and orders, in the database.
 */
@Repository
class Books {

	private final JdbcClient jdbc;

	Books(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	int stock(long productId) {
		return this.jdbc.sql("SELECT stock FROM product WHERE id = ?").param(productId).query(Integer.class).single();
	}

	/**
	 * Write what the caller has calculated, whatever happened since it read.
	 */
	void writeStock(long productId, int stock) {
		this.jdbc.sql("UPDATE product SET stock = ? WHERE id = ?").params(stock, productId).update();
	}

	/**
	 * Take one item from the stock, whatever that is.
	 */
	void takeOne(long productId) {
		this.jdbc.sql("UPDATE product SET stock = stock - 1 WHERE id = ?").param(productId).update();
	}

	Order addOrder(long productId) {
		KeyHolder number = new GeneratedKeyHolder();
		this.jdbc.sql("INSERT INTO orders (product_id) VALUES (?)").param(productId).update(number, "id");
		return new Order(Objects.requireNonNull(number.getKeyAs(Long.class)), productId);
	}

	Sale sale(long productId) {
		return this.jdbc.sql("""
				SELECT offered, stock, (SELECT COUNT(*) FROM orders WHERE product_id = product.id) AS orders
				FROM product WHERE id = ?
				""")
			.param(productId)
			.query((row, index) -> new Sale(productId, row.getInt("offered"), row.getInt("stock"),
					row.getInt("orders")))
			.single();
	}

	/**
	 * Offer the product anew.
	 */
	void offer(long productId, int items) {
		this.jdbc.sql("UPDATE product SET offered = ?, stock = ? WHERE id = ?")
			.params(items, items, productId)
			.update();
		this.jdbc.sql("DELETE FROM orders WHERE product_id = ?").param(productId).update();
	}

}
