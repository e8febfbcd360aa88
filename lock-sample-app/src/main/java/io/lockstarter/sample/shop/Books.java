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
	 * Let nobody write any more who has a smaller fencing token.
	 */
	void claim(long productId, long token) {
		int claimed = this.jdbc.sql("UPDATE product SET fence = ? WHERE id = ? AND fence <= ?")
			.params(token, productId, token)
			.update();
		if (claimed == 0) {
			throw new StaleTokenException(productId, token);
		}
	}

	/**
	 * Write what the caller has calculated, unless somebody with a larger fencing token
	 * was here before. The comparison and the write are one statement.
	 */
	void writeStock(long productId, int stock, long token) {
		int written = this.jdbc.sql("UPDATE product SET stock = ?, fence = ? WHERE id = ? AND fence <= ?")
			.params(stock, token, productId, token)
			.update();
		if (written == 0) {
			throw new StaleTokenException(productId, token);
		}
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
	 * Offer the product anew. Whoever holds a smaller fencing token can write no more.
	 */
	void offer(long productId, int items, long token) {
		this.jdbc.sql("UPDATE product SET offered = ?, stock = ?, fence = ? WHERE id = ? AND fence <= ?")
			.params(items, items, token, productId, token)
			.update();
		this.jdbc.sql("DELETE FROM orders WHERE product_id = ?").param(productId).update();
	}

}
