// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.util.List;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/**
 * Builds a tree by calling itself, every level under the same lock: whoever holds it goes
 * in again, at no cost.
 */
@Service
class MenuService {

	private final JdbcClient jdbc;

	private final LeasedLock lock;

	// Gives the proxy of this bean. A call on `this` would go past the annotation.
	private final ObjectProvider<MenuService> self;

	MenuService(JdbcClient jdbc, LockRegistry locks, ObjectProvider<MenuService> self) {
		this.jdbc = jdbc;
		this.lock = locks.obtain("menu");
		this.self = self;
	}

	@DistributedLock("menu")
	MenuItem build(long id) {
		String title = this.jdbc.sql("SELECT title FROM menu WHERE id = ?").param(id).query(String.class).single();
		List<MenuItem> items = this.jdbc.sql("SELECT id FROM menu WHERE parent = ? ORDER BY id")
			.param(id)
			.query((row, number) -> row.getLong(1))
			.stream()
			.map((item) -> this.self.getObject().build(item))
			.toList();
		return new MenuItem(title, this.lock.holdCount(), LockScope.current().fencingToken(), items);
	}

}
