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
package io.lockstarter.sample.stage;

import java.util.List;

/**
 * What an instance says of itself, several times a second.
 *
 * @param name the name of the instance
 * @param port where it listens
 * @param process its process id
 * @param host whether the others depend on it
 * @param at when this was said, in microseconds of the day's clock
 * @param ending whether these are its last words
 * @param present who is in the shop
 * @param finished who left it since the last report
 */
record InstanceReport(String name, int port, long process, boolean host, long at, boolean ending,
		List<Visit.Snapshot> present, List<Visit.Snapshot> finished) {
}
