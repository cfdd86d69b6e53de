//! A part of the mutants that is like all of them.

use provoke_base::Random;

use crate::mutant::Mutant;
use crate::operator::MutationOperator;

/// Chooses `size` mutants at random so that each operator keeps its share, up to one mutant
/// (largest remainder); all of them if there are no more. They stay in order.
pub fn sample(mutants: Vec<Mutant>, size: usize, seed: u64) -> Vec<Mutant> {
    if mutants.len() <= size {
        return mutants;
    }
    let mut chosen = vec![false; mutants.len()];
    for (operator, share) in shares(&mutants, size) {
        let mut random = Random::for_part(seed, operator.word());
        let mut left: Vec<usize> =
            (0..mutants.len()).filter(|at| mutants[*at].operator == operator).collect();
        for _ in 0..share {
            chosen[left.swap_remove(random.below(left.len()))] = true;
        }
    }
    mutants.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(m, _)| m).collect()
}

/// How many mutants of each operator are chosen.
fn shares(mutants: &[Mutant], size: usize) -> Vec<(MutationOperator, usize)> {
    let count = |operator| mutants.iter().filter(|mutant| mutant.operator == operator).count();
    let counts = MutationOperator::ALL.map(|operator| count(operator) * size);
    let total = mutants.len();
    let mut shares: Vec<usize> = counts.iter().map(|count| count / total).collect();
    let mut by_remainder: Vec<usize> = (0..counts.len()).collect();
    by_remainder.sort_by_key(|at| (std::cmp::Reverse(counts[*at] % total), *at));
    let missing = size - shares.iter().sum::<usize>();
    by_remainder.iter().take(missing).for_each(|at| shares[*at] += 1);
    MutationOperator::ALL.into_iter().zip(shares).collect()
}
