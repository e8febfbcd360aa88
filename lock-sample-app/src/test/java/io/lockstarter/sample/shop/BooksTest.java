// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Books}.
 */
class BooksTest {

	private static final long PRODUCT = 10100101;

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.addScripts("schema.sql", "data.sql")
		.build();

	private final Books books = new Books(JdbcClient.create(this.database));

	@BeforeEach
	void offer() {
		this.books.offer(PRODUCT, 10);
	}

	@AfterEach
	void shutDown() {
		this.database.shutdown();
	}

	@Test
	void ordersBeyondTheOfferAreOversold() {
		for (int i = 0; i < 12; i++) {
			this.books.addOrder(PRODUCT);
		}
		this.books.takeOne(PRODUCT);
		assertThat(this.books.sale(PRODUCT)).isEqualTo(new Sale(PRODUCT, 10, 9, 12, 2));
	}

	@Test
	void aNewOfferForgetsTheOrdersOfTheOldOne() {
		this.books.addOrder(PRODUCT);
		this.books.offer(PRODUCT, 3);
		assertThat(this.books.sale(PRODUCT)).isEqualTo(new Sale(PRODUCT, 3, 3, 0, 0));
	}

}
