/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
