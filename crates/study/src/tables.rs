//! The tables of the literature, one family in each file.

mod cost;
mod efficacy;
mod incremental;
mod oracle;
mod ranking;
mod raw;
mod structure;
mod survivors;
mod systems;

use crate::anatomy::Anatomy;
use crate::cells::StudyCells;
use crate::table::Table;

/// The tables of the study of observability: 4 to 16 of seed 004, and what became of survivors.
pub fn observability(cells: &StudyCells, anatomies: &[Anatomy]) -> Vec<Table> {
    let mut tables = systems::tables(anatomies);
    tables.extend([
        efficacy::rates(cells),
        ranking::of_omcdc(cells),
        efficacy::changes(cells),
        ranking::of_observability(cells),
        efficacy::lowest_changes(cells),
        cost::changes(cells),
        cost::times(cells),
        cost::verdicts(cells),
        oracle::changes(cells),
        structure::changes(cells),
    ]);
    tables.extend(survivors::tables(cells));
    tables
}

/// The tables of the study of incremental generation: 6.1 to 6.5 of the thesis.
pub fn incremental(cells: &StudyCells) -> Vec<Table> {
    incremental::tables(cells)
}

/// What the tables stand on: each case, how long it took, and each suite.
pub fn raw(cells: &StudyCells) -> [Table; 3] {
    [raw::cells(cells), raw::times(cells), raw::suites(cells)]
}
